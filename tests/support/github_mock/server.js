#!/usr/bin/env node
'use strict';
// A GitHub REST API in memory for tests. Prints {"port": N} on stdout once it listens. A request that
// does not fit GitHub's own description is answered with 500, named on stderr and counted.

const fs = require('fs');
const http = require('http');
const { parseArgs } = require('util');
const { control, takeFault } = require('./control');
const { loadDescription } = require('./description');
const operations = require('./operations');
const { Refusal, Repositories } = require('./repositories');
const { SignIn } = require('./sign_in');

const kVersions = ['2022-11-28', '2026-03-10'];
const kWrites = ['POST', 'PATCH', 'DELETE'];

function readOptions() {
  const { values } = parseArgs({
    options: {
      'port': { type: 'string', default: '0' },
      'api-root': { type: 'string', default: '/' },
      'token': { type: 'string' },
      'token-login': { type: 'string', default: 'stepscope-user' },
      'app-id': { type: 'string', default: '1' },
      'client-id': { type: 'string', default: 'Iv1.0000000000000001' },
      'app-slug': { type: 'string', default: 'stepscope' },
      'public-key': { type: 'string' },
      'token-seconds': { type: 'string', default: '3600' },
      'clock-offset-s': { type: 'string', default: '0' },
      'until-stdin-ends': { type: 'boolean', default: false },
    },
  });
  return {
    port: Number(values.port),
    apiRoot: values['api-root'],
    token: values.token,
    tokenLogin: values['token-login'],
    appId: Number(values['app-id']),
    clientId: values['client-id'],
    appSlug: values['app-slug'],
    publicKey: values['public-key'] && fs.readFileSync(values['public-key'], 'utf8'),
    tokenSeconds: Number(values['token-seconds']),
    clockOffsetS: Number(values['clock-offset-s']),
    untilStdinEnds: values['until-stdin-ends'],
  };
}

function readBody(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
  });
}

function answer(world, response, { status, body, headers = {} }) {
  const date = new Date(world.signIn.nowSeconds() * 1000).toUTCString();
  response.sendDate = false;
  response.writeHead(status, {
    'Date': date,
    'Content-Type': 'application/json; charset=utf-8',
    'X-RateLimit-Limit': '5000',
    'X-RateLimit-Remaining': '4999',
    ...headers,
  });
  response.end(status === 204 || body === undefined ? undefined : JSON.stringify(body));
}

// What the description can not say: headers, content type, unknown fields of a body.
function faultOfForm(request, operation, text) {
  const { headers } = request;
  if (headers.accept !== 'application/vnd.github+json') return 'Accept is not GitHub JSON';
  if (!headers['x-github-api-version']) return 'X-GitHub-Api-Version is missing';
  if (text === '') return null;
  if (!/^application\/json\b/.test(headers['content-type'] || '')) return 'body is not JSON';
  const schema = operation.requestBody?.content['application/json'].schema;
  if (!schema) return 'a body where none is described';
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return 'body can not be parsed';
  }
  const unknown = Object.keys(body).filter((key) => !(key in schema.properties));
  return unknown.length > 0 ? `unknown field ${unknown[0]}` : null;
}

// The matched call, or {violation}.
function understand(world, request, text) {
  const form = {
    method: request.method,
    path: request.url.split('?')[0],
    query: request.url.split('?')[1] || '',
    headers: request.headers,
    body: text === '' ? undefined : text,
  };
  if (!form.path.startsWith(world.options.apiRoot)) return { violation: 'outside the API root' };
  let operation;
  try {
    operation = world.api.router.matchOperation(form, true);
  } catch (error) {
    return { violation: error.message };
  }
  const fault = faultOfForm(request, operation, text);
  if (fault) return { violation: fault };
  const { errors } = world.api.validator.validateRequest(form, operation);
  if (errors) return { violation: errors.map((e) => `${e.instancePath} ${e.message}`).join('; ') };
  return { operation, ...coerced(world.api.router.parseRequest(form, operation), operation) };
}

function coerced(parsed, operation) {
  const typed = (values, place) => Object.fromEntries(
    Object.entries(values || {}).map(([name, value]) => {
      const parameter = operation.parameters.find((one) => one.name === name && one.in === place);
      return [name, parameter?.schema?.type === 'integer' ? Number(value) : value];
    }));
  return {
    path: typed(parsed.params, 'path'),
    query: typed(parsed.query, 'query'),
    body: parsed.requestBody,
  };
}

function refuse(world, response, error) {
  if (!(error instanceof Refusal)) throw error;
  answer(world, response, { status: error.status, body: { message: error.message, ...error.extra } });
}

function movedTo(world, call) {
  const from = call.path.owner && world.repositories.byName.get(
    `${call.path.owner}/${call.path.repo}`.toLowerCase());
  if (!from || !from.moved_to) return null;
  const target = call.target.replace(`${call.path.owner}/${call.path.repo}`, from.moved_to);
  return { status: 301, body: { message: 'Moved Permanently' },
    headers: { Location: call.baseUrl + target } };
}

function act(world, call) {
  const moved = movedTo(world, call);
  if (moved) return moved;
  const result = operations[call.operation.operationId](world, call);
  const check = result.body === undefined ? null : world.api.validator.validateResponse(
    result.body, call.operation, result.status);
  if (check && check.errors) {
    const first = check.errors[0];
    noteViolation(world, `own answer to ${call.operation.operationId}: ${first.instancePath} ` +
      first.message);
  }
  return result;
}

function noteViolation(world, text) {
  world.violations.push(text);
  process.stderr.write(`github_mock: ${text}\n`);
}

async function serve(world, request, response) {
  const text = await readBody(request);
  if (request.url.startsWith('/_mock/')) {
    const name = request.url.slice('/_mock/'.length);
    answer(world, response, control(world, request.method, name, text ? JSON.parse(text) : {}));
    return;
  }
  if (!request.headers['user-agent']) {
    noteViolation(world, `${request.method} ${request.url}: no User-Agent`);
    answer(world, response, { status: 403, body: { message: 'User-Agent is required' } });
    return;
  }
  const call = understand(world, request, text);
  if (call.violation) {
    noteViolation(world, `${request.method} ${request.url}: ${call.violation}`);
    answer(world, response, { status: 500, body: { message: call.violation } });
    return;
  }
  await carryOut(world, request, response, call);
}

async function carryOut(world, request, response, call) {
  const { operationId } = call.operation;
  world.requests[operationId] = (world.requests[operationId] || 0) + 1;
  const fault = takeFault(world, operationId);
  if (fault.latency_ms) await new Promise((resume) => setTimeout(resume, fault.latency_ms));
  if (fault.drop === 'before') return response.destroy();
  if (fault.status && !fault.act) {
    return answer(world, response,
      { status: fault.status, body: { message: fault.message || 'Fault' }, headers: fault.headers });
  }
  if (!kVersions.includes(request.headers['x-github-api-version'])) {
    return answer(world, response, { status: 400, body: { message: 'Unknown API version' } });
  }
  const who = world.signIn.identify(request.headers.authorization);
  if (who.fault) return answer(world, response, { status: 401, body: { message: who.fault } });
  if (kWrites.includes(request.method)) {
    world.writes.push({ operation: operationId, at_ms: Date.now(), login: who.login || 'app' });
  }
  Object.assign(call, {
    who, target: request.url, baseUrl: `http://${request.headers.host}`,
  });
  let result;
  try {
    result = act(world, call);
  } catch (error) {
    return refuse(world, response, error);
  }
  if (fault.drop === 'after') return response.destroy();
  if (fault.status) return answer(world, response, { status: fault.status, body: {} });
  return answer(world, response, result);
}

async function main() {
  const options = readOptions();
  const world = {
    options,
    api: await loadDescription(options.apiRoot),
    repositories: new Repositories(),
    installations: new Map([[1, { suspended: false }]]),
    signIn: new SignIn(options),
    faults: [],
    requests: {},
    writes: [],
    violations: [],
  };
  const server = http.createServer((request, response) => {
    serve(world, request, response).catch((error) => {
      noteViolation(world, `${request.method} ${request.url}: ${error.stack}`);
      if (!response.headersSent) answer(world, response, { status: 500, body: { message: 'bug' } });
    });
  });
  server.listen(options.port, '127.0.0.1', () => {
    process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`);
  });
  if (options.untilStdinEnds) {
    // The mock ends with the test that holds the other end, however that test ends.
    process.stdin.resume();
    process.stdin.on('end', () => process.exit(0));
  }
}

main();
