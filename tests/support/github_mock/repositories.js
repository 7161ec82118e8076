'use strict';
// What GitHub would remember: repositories, issues, comments, reactions, permissions. Refusals are
// thrown as Refusal with GitHub's status and sentence.

class Refusal extends Error {
  constructor(status, message, extra = {}) {
    super(message);
    this.status = status;
    this.extra = extra;
  }
}

const kBodyCharactersMax = 65536;

class Repositories {
  constructor() {
    this.byName = new Map();
    this.lastId = 1000;
  }

  add({ full_name, id, installation_id = 1, archived = false, moved_to = null }) {
    const known = this.byName.get(full_name.toLowerCase());
    const repository = known || { issues: new Map(), permissions: new Map() };
    Object.assign(repository, {
      full_name, id: id || repository.id || ++this.lastId, installation_id, archived, moved_to,
    });
    this.byName.set(full_name.toLowerCase(), repository);
    return repository;
  }

  find(fullName, who) {
    const repository = this.byName.get(fullName.toLowerCase());
    const hidden = repository && who && who.kind === 'installation' &&
      who.installation !== repository.installation_id;
    if (!repository || hidden) throw new Refusal(404, 'Not Found');
    return repository;
  }

  addIssue({ repository, number, locked, gone }) {
    const home = this.find(repository);
    const issue = home.issues.get(number) || { number, locked: false, gone: false, comments: [] };
    if (locked !== undefined) issue.locked = locked;
    if (gone !== undefined) issue.gone = gone;
    home.issues.set(number, issue);
    return issue;
  }

  findIssue(repository, number) {
    const issue = repository.issues.get(number);
    if (!issue) throw new Refusal(404, 'Not Found');
    if (issue.gone) throw new Refusal(410, 'This issue was deleted');
    return issue;
  }

  findComment(repository, id) {
    for (const issue of repository.issues.values()) {
      const comment = issue.comments.find((one) => one.id === id);
      if (comment) return { issue, comment };
    }
    throw new Refusal(404, 'Not Found');
  }

  requireBody(body) {
    const errors = (message) => ({
      errors: [{ resource: 'IssueComment', code: 'unprocessable', field: 'data', message }],
    });
    if (body.trim() === '') {
      throw new Refusal(422, 'Validation Failed', errors("Body can't be blank"));
    }
    if ([...body].length > kBodyCharactersMax) {
      throw new Refusal(422, 'Validation Failed',
        errors('Body is too long (maximum is 65536 characters)'));
    }
  }

  requireWritable(repository) {
    if (repository.archived) throw new Refusal(403, 'Repository was archived so is read-only.');
  }

  addComment(repository, issue, login, body, nowIso) {
    this.requireBody(body);
    const comment = {
      id: ++this.lastId, login, body, edits: 0, created_at: nowIso, updated_at: nowIso,
      reactions: [],
    };
    issue.comments.push(comment);
    return comment;
  }

  editComment(comment, login, body, nowIso) {
    if (comment.login !== login) throw new Refusal(403, 'Resource not accessible by integration');
    this.requireBody(body);
    Object.assign(comment, { body, updated_at: nowIso, edits: comment.edits + 1 });
  }

  deleteComment(id) {
    for (const repository of this.byName.values()) {
      for (const issue of repository.issues.values()) {
        issue.comments = issue.comments.filter((comment) => comment.id !== id);
      }
    }
  }

  // {reaction, created}: the same reaction twice is one.
  addReaction(comment, login, content, nowIso) {
    const known = comment.reactions.find((one) => one.login === login && one.content === content);
    if (known) return { reaction: known, created: false };
    const reaction = { id: ++this.lastId, login, content, created_at: nowIso };
    comment.reactions.push(reaction);
    return { reaction, created: true };
  }

  snapshot() {
    return [...this.byName.values()].map((repository) => ({
      ...repository,
      issues: [...repository.issues.values()],
      permissions: Object.fromEntries(repository.permissions),
    }));
  }
}

module.exports = { Refusal, Repositories };
