'use strict';
// The tests' side entrance, /_mock/...: state to read, things to happen, faults to order.

const now = () => new Date().toISOString().replace(/\.\d+Z$/, 'Z');

const kActions = {
  'GET state': (world) => ({
    repositories: world.repositories.snapshot(),
    requests: world.requests,
    writes: world.writes,
    tokens_issued: world.signIn.issued,
    violations: world.violations,
    faults_left: world.faults.reduce((sum, fault) => sum + fault.times, 0),
  }),
  'POST repositories': (world, body) => ({ id: world.repositories.add(body).id }),
  'POST issues': (world, body) => ({ number: world.repositories.addIssue(body).number }),
  'POST permissions': (world, body) => {
    const repository = world.repositories.find(body.repository);
    repository.permissions.set(body.login.toLowerCase(), body.permission);
    return {};
  },
  // A comment written by somebody else.
  'POST comments': (world, body) => {
    const repository = world.repositories.find(body.repository);
    const issue = world.repositories.findIssue(repository, body.issue);
    const comment = world.repositories.addComment(
      repository, issue, body.login, body.body, body.created_at || now());
    return { id: comment.id };
  },
  'POST delete-comment': (world, body) => {
    world.repositories.deleteComment(body.id);
    return {};
  },
  'POST installations': (world, body) => {
    if (body.removed) world.installations.delete(body.id);
    else world.installations.set(body.id, { suspended: Boolean(body.suspended) });
    return {};
  },
  'POST drop-tokens': (world) => {
    world.signIn.dropTokens();
    return {};
  },
  // {operation?, times?, latency_ms?, statuses?: [..], headers?, message?, drop?: "before"|"after"}.
  // One order serves `times` requests (statuses: one a request); without `operation`, any.
  'POST faults': (world, body) => {
    const times = body.times || (body.statuses ? body.statuses.length : 1);
    world.faults.push({ ...body, times });
    return {};
  },
};

function control(world, method, name, body) {
  const action = kActions[`${method} ${name}`];
  if (!action) return { status: 404, body: { message: `no control ${method} /_mock/${name}` } };
  try {
    return { status: 200, body: action(world, body) };
  } catch (error) {
    return { status: 422, body: { message: error.message } };
  }
}

// The next ordered fault for this operation, used up by one.
function takeFault(world, operationId) {
  const fault = world.faults.find(
    (one) => one.times > 0 && (!one.operation || one.operation === operationId));
  if (!fault) return {};
  fault.times -= 1;
  const status = fault.statuses ? fault.statuses[fault.statuses.length - fault.times - 1] : 0;
  return { ...fault, status };
}

module.exports = { control, takeFault };
