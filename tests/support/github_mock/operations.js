'use strict';
// GitHub's operations over the remembered state: (world, call) -> {status, body, headers}. A call is
// {who, path, query, body, baseUrl, target}, its values coerced by the description.

const shapes = require('./shapes');
const { Refusal } = require('./repositories');

const now = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

function place(world, call) {
  if (call.who.kind === 'app') {
    throw new Refusal(401, 'A JSON web token can not be used for this endpoint');
  }
  return world.repositories.find(`${call.path.owner}/${call.path.repo}`, call.who);
}

function getApp(world, call) {
  if (call.who.kind !== 'app') {
    throw new Refusal(401, 'A JSON web token could not be decoded');
  }
  return { status: 200, body: shapes.appShape(world.options, now()) };
}

function getUser(world, call) {
  if (call.who.kind !== 'user') throw new Refusal(403, 'Resource not accessible by integration');
  return { status: 200, body: shapes.publicUserShape(call.who.login, now()) };
}

function createToken(world, call) {
  if (call.who.kind !== 'app') throw new Refusal(401, 'A JSON web token could not be decoded');
  const id = call.path.installation_id;
  const installation = world.installations.get(id);
  if (!installation) throw new Refusal(404, 'Not Found');
  if (installation.suspended) throw new Refusal(403, 'This installation has been suspended');
  const issued = world.signIn.issue(id);
  return {
    status: 201,
    body: {
      token: issued.token,
      expires_at: new Date(issued.expiresAtMs).toISOString().replace(/\.\d+Z$/, 'Z'),
      permissions: { issues: 'write', metadata: 'read' },
      repository_selection: 'selected',
    },
  };
}

function linkHeader(call, page, pages) {
  const to = (number, rel) => {
    const url = new URL(call.baseUrl + call.target);
    url.searchParams.set('page', number);
    return `<${url}>; rel="${rel}"`;
  };
  const links = [];
  if (page > 1) links.push(to(page - 1, 'prev'));
  if (page < pages) links.push(to(page + 1, 'next'), to(pages, 'last'));
  return links.length > 0 ? { Link: links.join(', ') } : {};
}

function listComments(world, call) {
  const repository = place(world, call);
  const issue = world.repositories.findIssue(repository, call.path.issue_number);
  const since = call.query.since ? Date.parse(call.query.since) : 0;
  const all = issue.comments.filter((comment) => Date.parse(comment.updated_at) >= since);
  const size = Math.min(call.query.per_page || 30, 100);
  const page = call.query.page || 1;
  const pages = Math.max(1, Math.ceil(all.length / size));
  const body = all.slice((page - 1) * size, page * size)
    .map((comment) => shapes.commentShape(repository, issue, comment, world.options));
  return { status: 200, body, headers: linkHeader(call, page, pages) };
}

function createComment(world, call) {
  const repository = place(world, call);
  const issue = world.repositories.findIssue(repository, call.path.issue_number);
  world.repositories.requireWritable(repository);
  if (issue.locked) {
    throw new Refusal(403, 'Unable to create comment because issue is locked.');
  }
  const comment = world.repositories.addComment(
    repository, issue, call.who.login, call.body.body, now());
  const body = shapes.commentShape(repository, issue, comment, world.options);
  return { status: 201, body, headers: { Location: body.url } };
}

function onComment(act) {
  return (world, call) => {
    const repository = place(world, call);
    const found = world.repositories.findComment(repository, call.path.comment_id);
    return act(world, call, repository, found);
  };
}

const getComment = onComment((world, call, repository, { issue, comment }) => ({
  status: 200, body: shapes.commentShape(repository, issue, comment, world.options),
}));

const updateComment = onComment((world, call, repository, { issue, comment }) => {
  world.repositories.requireWritable(repository);
  world.repositories.editComment(comment, call.who.login, call.body.body, now());
  return { status: 200, body: shapes.commentShape(repository, issue, comment, world.options) };
});

const deleteComment = onComment((world, call, repository, { comment }) => {
  world.repositories.requireWritable(repository);
  world.repositories.deleteComment(comment.id);
  return { status: 204 };
});

const listReactions = onComment((world, call, repository, { comment }) => ({
  status: 200, body: comment.reactions.map(shapes.reactionShape),
}));

const createReaction = onComment((world, call, repository, { comment }) => {
  const { reaction, created } = world.repositories.addReaction(
    comment, call.who.login, call.body.content, now());
  return { status: created ? 201 : 200, body: shapes.reactionShape(reaction) };
});

function getPermission(world, call) {
  const repository = place(world, call);
  const login = call.path.username;
  const permission = repository.permissions.get(login.toLowerCase()) || 'none';
  return { status: 200, body: shapes.permissionShape(login, permission) };
}

module.exports = {
  'apps/get-authenticated': getApp,
  'users/get-authenticated': getUser,
  'apps/create-installation-access-token': createToken,
  'issues/list-comments': listComments,
  'issues/create-comment': createComment,
  'issues/get-comment': getComment,
  'issues/update-comment': updateComment,
  'issues/delete-comment': deleteComment,
  'reactions/list-for-issue-comment': listReactions,
  'reactions/create-for-issue-comment': createReaction,
  'repos/get-collaborator-permission-level': getPermission,
};
