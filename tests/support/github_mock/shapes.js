'use strict';
// Answers in the shape of GitHub's description: every required field is there.

const kRoot = 'https://api.github.com';
const kWeb = 'https://github.com';

function userShape(login) {
  const url = `${kRoot}/users/${encodeURIComponent(login)}`;
  const bot = login.endsWith('[bot]');
  return {
    login,
    id: 1000 + [...login].reduce((sum, letter) => sum + letter.charCodeAt(0), 0),
    node_id: 'U_mock',
    avatar_url: `${kWeb}/images/${encodeURIComponent(login)}.png`,
    gravatar_id: '',
    url,
    html_url: `${kWeb}/${encodeURIComponent(login)}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following`,
    gists_url: `${url}/gists`,
    starred_url: `${url}/starred`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events`,
    received_events_url: `${url}/received_events`,
    type: bot ? 'Bot' : 'User',
    site_admin: false,
  };
}

function publicUserShape(login, nowIso) {
  return {
    ...userShape(login),
    user_view_type: 'public',
    name: login,
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: nowIso,
    updated_at: nowIso,
  };
}

function appShape(options, nowIso) {
  return {
    id: options.appId,
    slug: options.appSlug,
    client_id: options.clientId,
    node_id: 'A_mock',
    owner: userShape('octo-org'),
    name: options.appSlug,
    description: null,
    external_url: kWeb,
    html_url: `${kWeb}/apps/${options.appSlug}`,
    created_at: nowIso,
    updated_at: nowIso,
    permissions: { issues: 'write', pull_requests: 'write', metadata: 'read' },
    events: ['issue_comment'],
  };
}

function commentShape(repository, issue, comment, options) {
  const base = `${kRoot}/repos/${repository.full_name}/issues`;
  const byApp = comment.login === `${options.appSlug}[bot]`;
  return {
    id: comment.id,
    node_id: 'IC_mock',
    url: `${base}/comments/${comment.id}`,
    html_url: `${kWeb}/${repository.full_name}/issues/${issue.number}#issuecomment-${comment.id}`,
    body: comment.body,
    user: userShape(comment.login),
    created_at: comment.created_at,
    updated_at: comment.updated_at,
    issue_url: `${base}/${issue.number}`,
    author_association: 'NONE',
    performed_via_github_app: byApp ? appShape(options, comment.created_at) : null,
  };
}

function reactionShape(reaction) {
  return {
    id: reaction.id,
    node_id: 'R_mock',
    user: userShape(reaction.login),
    content: reaction.content,
    created_at: reaction.created_at,
  };
}

function permissionShape(login, permission) {
  const answered = { maintain: 'write', triage: 'read' }[permission] || permission;
  return {
    permission: answered,
    role_name: permission,
    user: { ...userShape(login), role_name: permission },
  };
}

module.exports = {
  appShape, commentShape, permissionShape, publicUserShape, reactionShape, userShape,
};
