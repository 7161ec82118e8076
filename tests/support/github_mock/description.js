'use strict';
// GitHub's own OpenAPI description, cut to the operations that the mock answers: the whole document
// has 800 paths and takes minutes to compile, the cut one a fraction of a second.

const fs = require('fs');
const path = require('path');
const { OpenAPIBackend } = require('openapi-backend');

const kOperations = {
  '/app': ['get'],
  '/user': ['get'],
  '/app/installations/{installation_id}/access_tokens': ['post'],
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': ['get', 'post'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': ['get', 'patch', 'delete'],
  '/repos/{owner}/{repo}/issues/comments/{comment_id}/reactions': ['get', 'post'],
  '/repos/{owner}/{repo}/collaborators/{username}/permission': ['get'],
};

// Copies what `node` points at into `target`, one component after the other.
function keepComponents(node, source, target) {
  if (Array.isArray(node)) {
    node.forEach((item) => keepComponents(item, source, target));
    return;
  }
  if (node === null || typeof node !== 'object') return;
  if (typeof node.$ref === 'string') {
    const [, , kind, name] = node.$ref.split('/');
    target[kind] = target[kind] || {};
    if (!(name in target[kind])) {
      target[kind][name] = source[kind][name];
      keepComponents(source[kind][name], source, target);
    }
    return;
  }
  Object.values(node).forEach((value) => keepComponents(value, source, target));
}

// The part of a response that the mock must fit: success bodies only.
function withoutFailures(operation) {
  const responses = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, response]) => [status, { ...response, headers: undefined }]);
  return { ...operation, responses: Object.fromEntries(responses) };
}

function readDescription() {
  const folder = path.dirname(require.resolve('@octokit/openapi/package.json'));
  const file = path.join(folder, 'generated', 'api.github.com.json');
  const whole = JSON.parse(fs.readFileSync(file, 'utf8'));
  const paths = {};
  for (const [template, methods] of Object.entries(kOperations)) {
    paths[template] = {};
    for (const method of methods) {
      paths[template][method] = withoutFailures(whole.paths[template][method]);
    }
  }
  const components = {};
  keepComponents(paths, whole.components, components);
  return { openapi: whole.openapi, info: whole.info, paths, components };
}

// A validator and router over the cut description. `apiRoot` is "/" or "/api/v3" (Enterprise Server).
async function loadDescription(apiRoot) {
  const api = new OpenAPIBackend({
    definition: readDescription(),
    apiRoot,
    quick: true,
    ignoreTrailingSlashes: false,
    ajvOpts: { allErrors: true, logger: false },
    customizeAjv: (ajv) => {
      ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
      ajv.addFormat('uri', /^https?:\/\/\S+$/);
      return ajv;
    },
  });
  await api.init();
  return api;
}

module.exports = { loadDescription };
