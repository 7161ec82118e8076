// Starts the GitHub mock and the real daemon in a folder of their own, sends signed deliveries, and looks
// at what stands on GitHub afterwards. Everything that was started is ended by stop().

import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync, readFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sign } from '@octokit/webhooks-methods';
import examples from '@octokit/webhooks-examples' with { type: 'json' };

const here = path.dirname(fileURLToPath(import.meta.url));
const mockServer = path.join(here, '../support/github_mock/server.js');
export const binary = process.env.STEPSCOPE;
const kSecret = "It's a Secret to Everybody";
const kDeadlineMs = 60_000;

// The first line of a child's stdout that the pattern matches, or an error with what it said instead.
function firstLine(child, pattern, name) {
  return new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    child.stderr.on('data', (chunk) => { err += chunk; });
    child.stdout.on('data', (chunk) => {
      out += chunk;
      const match = pattern.exec(out);
      if (match) resolve(match);
    });
    child.on('exit', (code, signal) =>
      reject(new Error(`${name} ended (${code ?? signal}) before it was ready: ${out}${err}`)));
  });
}

// Calls `look` until it returns something, and says what was awaited when it never does.
export async function until(what, look) {
  const deadline = Date.now() + kDeadlineMs;
  while (Date.now() < deadline) {
    const found = await look();
    if (found) return found;
    await pause(20);
  }
  throw new Error(`waited ${kDeadlineMs} ms for ${what}`);
}

// GitHub's own example of a comment, turned into `body` by a person with write access.
export function commentPayload({ body, commentId, issue = 1, login = 'Codertocat' }) {
  const entry = examples.find((one) => one.name === 'issue_comment');
  const payload = structuredClone(
    entry.examples.find((one) => one.action === 'created' && !one.issue.pull_request));
  payload.comment.body = body;
  payload.comment.id = commentId;
  payload.comment.user.login = login;
  payload.comment.created_at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  payload.sender.login = login;
  payload.issue.number = issue;
  payload.installation = { id: 1, node_id: 'MDE=' };
  return payload;
}

export class Service {
  constructor() {
    this.folder = mkdtempSync(path.join(tmpdir(), 'stepscope-service-'));
    this.children = new Set();
  }

  spawn(command, args) {
    const child = spawn(command, args, { cwd: this.folder, stdio: ['pipe', 'pipe', 'pipe'] });
    this.children.add(child);
    child.on('exit', () => this.children.delete(child));
    return child;
  }

  // `personalToken`: GitHub knows this token beside the App. `apiRoot`: "/api/v3" for an Enterprise Server.
  async startMock({ personalToken, apiRoot = '' } = {}) {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    this.write('app.pem', privateKey);
    this.write('app.pub', publicKey);
    this.personalToken = personalToken;
    if (personalToken) this.write('github.token', personalToken + '\n');
    const options = [...(personalToken ? ['--token', personalToken] : []),
      ...(apiRoot ? ['--api-root', apiRoot] : [])];
    const mock = this.spawn(process.execPath, [mockServer, '--port', '0', '--app-id', '1',
      '--public-key', 'app.pub', '--until-stdin-ends', ...options]);
    const [, port] = await firstLine(mock, /"port":\s*(\d+)/, 'the GitHub mock');
    this.github = `http://127.0.0.1:${port}`;
    this.apiUrl = this.github + apiRoot;
    const { full_name, id } = commentPayload({ body: '', commentId: 1 }).repository;
    this.repository = full_name;
    await this.control('repositories', { full_name, id, installation_id: 1 });
    await this.control('issues', { repository: full_name, number: 1 });
    await this.control('permissions',
      { repository: full_name, login: 'Codertocat', permission: 'write' });
  }

  write(name, text) {
    writeFileSync(path.join(this.folder, name), text);
  }

  configure({ github = true, server = '', runner = '', extra = '' } = {}) {
    this.write('webhook.secret', kSecret + '\n');
    const account = this.personalToken ? 'token_file = "github.token"'
      : 'app_id = "1"\nprivate_key_file = "app.pem"';
    const section = !github ? '' : `
[github]
api_url = "${this.apiUrl}"
webhook_secret_file = "webhook.secret"
${account}
edit_interval_s = 0
write_interval_ms = 0
`;
    this.write('stepscope.toml', `
[server]
listen = "127.0.0.1:0"
public_url = "https://stepscope.example"
data = "data"
api_token_file = "api.token"
${server}
${section}
[runner]
lease_s = 3
${runner}
${extra}`);
  }

  async startDaemon() {
    this.daemon = this.spawn(binary, ['serve', '--config', 'stepscope.toml']);
    this.log = '';
    this.daemon.stderr.on('data', (chunk) => { this.log += chunk; });
    const [, url] = await firstLine(this.daemon, /stepscope listens on (\S+)/, 'the daemon');
    this.url = url;
    this.token = readFileSync(path.join(this.folder, 'api.token'), 'utf8').trim();
  }

  async kill(signal = 'SIGKILL') {
    const daemon = this.daemon;
    if (!daemon || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const ended = new Promise((resolve) => daemon.on('exit', resolve));
    daemon.kill(signal);
    await ended;
  }

  async control(name, body) {
    const answer = await fetch(`${this.github}/_mock/${name}`, {
      method: body === undefined ? 'GET' : 'POST',
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`/_mock/${name}: ${await answer.text()}`);
    return answer.json();
  }

  // What is on GitHub: the comments of an issue, and whether every call fitted its description.
  async onGithub(issue = 1) {
    const state = await this.control('state');
    const repository = state.repositories.find((one) => one.full_name === this.repository);
    const comments = repository.issues.find((one) => one.number === issue).comments;
    return { comments, violations: state.violations };
  }

  async deliver(payload, { event = 'issue_comment', guid = randomUUID(), headers = {} } = {}) {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    return fetch(`${this.url}/webhooks/github`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-GitHub-Event': event,
        'X-GitHub-Delivery': guid,
        'X-Hub-Signature-256': await sign(kSecret, body),
        ...headers,
      },
      body,
    });
  }

  api(route, { token = this.token, ...options } = {}) {
    const headers = { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...options.headers };
    return fetch(this.url + route, { ...options, headers });
  }

  async stop() {
    for (const child of [...this.children]) {
      const ended = new Promise((resolve) => child.on('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    if (existsSync(this.folder)) rmSync(this.folder, { recursive: true });
  }
}

// The integers of the report's closing sentence: charged, idle and wall.
export function closingSums(comment) {
  const match = /Charged ([\d  ,]+) ns \+ idle ([\d  ,]+) ns = wall ([\d  ,]+) ns/.exec(
    comment.replaceAll('*', ''));
  if (!match) return null;
  const [charged, idle, wall] = match.slice(1).map((text) => BigInt(text.replace(/\D/g, '')));
  return { charged, idle, wall };
}
