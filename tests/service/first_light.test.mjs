// A comment comes in, a breakdown stands in the reply; and what else a stranger may send.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { closingSums, commentPayload, Service, until } from './daemon.mjs';

const kRequest = '@stepscope profile toy-moe fp32 on cpu conc 4, 5 decode steps';
const service = new Service();

before(async () => {
  await service.startMock();
  service.configure();
  await service.startDaemon();
});
after(() => service.stop());

test('a mention ends in one comment with a breakdown that adds up', async () => {
  const payload = commentPayload({ body: kRequest + '\r\n\r\nthanks!', commentId: 501 });
  const guid = randomUUID();
  const answer = await service.deliver(payload, { guid });
  assert.equal(answer.status, 202);
  const comment = await until('a finished comment', async () => {
    const { comments } = await service.onGithub();
    return comments.find((one) => one.body.includes('Finished in'));
  });
  const sums = closingSums(comment.body);
  assert.ok(sums, comment.body);
  assert.equal(sums.charged + sums.idle, sums.wall);
  assert.ok(sums.wall > 0n);
  assert.equal(comment.login, 'stepscope[bot]');
  assert.match(comment.body, /toy-moe-fp32-cpu-builtin/);
  assert.match(comment.body, /CPU/);
  assert.match(comment.body, /https:\/\/stepscope\.example\/runs\/1\b/);
  assert.match(comment.body, /https:\/\/stepscope\.example\/runs\/1\/trace/);
  assert.ok(comment.edits >= 1, 'the comment was there before the result');

  // Again under the same GUID, again under another: nothing more is written.
  assert.equal((await service.deliver(payload, { guid })).status, 202);
  assert.equal((await service.deliver(payload)).status, 202);
  const runs = await (await service.api('/api/v1/runs')).json();
  assert.equal(runs.runs.length, 1);
  const { comments, violations } = await service.onGithub();
  assert.equal(comments.length, 1);
  assert.deepEqual(violations, []);
});

test('somebody without write access gets a refusal and no run', async () => {
  await service.control('permissions',
    { repository: service.repository, login: 'stranger', permission: 'read' });
  const payload = commentPayload({ body: kRequest, commentId: 502, login: 'stranger' });
  assert.equal((await service.deliver(payload)).status, 202);
  const comment = await until('the refusal', async () => {
    const { comments } = await service.onGithub();
    return comments.find((one) => /write access/.test(one.body));
  });
  assert.doesNotMatch(comment.body, /@stranger/);
  const runs = await (await service.api('/api/v1/runs')).json();
  assert.equal(runs.runs.length, 1);
});

test('a request that can not be met is answered, not run', async () => {
  const payload = commentPayload({ body: '@stepscope profile toy-moe fp8 on cpu', commentId: 503 });
  assert.equal((await service.deliver(payload)).status, 202);
  await until('the answer', async () => {
    const { comments } = await service.onGithub();
    return comments.find((one) => /fp8/.test(one.body) && /toy-moe-fp32-cpu-builtin/.test(one.body));
  });
});

test('comments that are not for us leave no trace', async () => {
  const before = (await service.onGithub()).comments.length;
  for (const body of ['no mention', '> @stepscope profile toy-moe', '`@stepscope help`', 'me@stepscope.io']) {
    const answer = await service.deliver(commentPayload({ body, commentId: 600 }));
    assert.equal(answer.status, 202);
    assert.match(await answer.text(), /ignored/);
  }
  assert.equal((await service.onGithub()).comments.length, before);
});

test('deliveries that are wrong are refused with a reason', async () => {
  const payload = commentPayload({ body: kRequest, commentId: 700 });
  const wrong = { 'X-Hub-Signature-256': 'sha256=' + '0'.repeat(64) };
  assert.equal((await service.deliver(payload, { headers: wrong })).status, 401);
  const unsigned = await fetch(`${service.url}/webhooks/github`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}',
  });
  assert.equal(unsigned.status, 401);
  const form = await service.deliver('payload=%7B%7D',
    { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
  assert.equal(form.status, 415);
  assert.match(await form.text(), /application\/json/);
  assert.equal((await service.deliver('{"action":', {})).status, 400);
  const unknown = await service.deliver({ action: 'created' }, { event: 'sponsorship' });
  assert.equal(unknown.status, 202);
  assert.match(await unknown.text(), /ignored/);
  assert.equal((await service.deliver({ zen: 'x', hook_id: 1 }, { event: 'ping' })).status, 200);
  const large = await service.deliver(' '.repeat(25 * 1024 * 1024 + 1)).catch((error) => error);
  assert.equal(large.status, 413);
});

test('past runs are read over REST', async () => {
  assert.equal((await service.api('/api/v1/runs', { token: '' })).status, 401);
  assert.equal((await service.api('/api/v1/runs/1', { token: 'wrong' })).status, 401);
  const run = await (await service.api('/api/v1/runs/1')).json();
  assert.equal(run.state, 'done');
  assert.equal(run.config.key, 'toy-moe-fp32-cpu-builtin');

  const breakdown = await (await service.api('/api/v1/runs/1/breakdown')).json();
  assert.equal(breakdown.schema, 'stepscope.breakdown/1');
  const charged = breakdown.step.kernels.reduce((sum, row) => sum + row.wall_ns, 0);
  assert.equal(charged + breakdown.step.idle_ns, breakdown.step.wall_ns);
  assert.equal(breakdown.steps.filter((step) => step.phase === 'decode').length, 5);
  assert.equal(breakdown.trace.files[0].sha256, run.trace.sha256);
  // The toy model: 2 dense layers and 4 with experts. All of the step is in one of the phases.
  const { layers, phases, moe } = breakdown.step;
  assert.deepEqual(layers.kinds.map(({ label, count }) => [label, count]), [['dense', 2], ['MoE', 4]]);
  assert.equal(phases.reduce((sum, phase) => sum + phase.wall_ns, 0), breakdown.step.wall_ns);
  assert.ok(['router', 'routed_experts', 'combine', 'shared_expert'].every((name) =>
    moe.parts.some((one) => one.part === name)), JSON.stringify(moe.parts));
  const projection = breakdown.step.kernels.find((row) => row.name.includes('gemm_qkv'));
  assert.equal(projection.roles[0].role, 'q/kv projection');
  assert.equal(projection.shapes[0].text, '[[4, 128], [128, 384]]');

  const whole = Buffer.from(await (await service.api('/api/v1/runs/1/trace')).arrayBuffer());
  assert.equal(whole.length, run.trace.bytes);
  const part = await service.api('/runs/1/trace', { headers: { Range: 'bytes=10-19' } });
  assert.equal(part.status, 206);
  assert.equal(part.headers.get('content-range'), `bytes 10-19/${whole.length}`);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), whole.subarray(10, 20));

  for (const [filter, count] of [['model=toy-moe', 1], ['model=dsr1', 0], ['conc=4', 1], ['state=failed', 0]]) {
    const list = await (await service.api(`/api/v1/runs?${filter}`)).json();
    assert.equal(list.runs.length, count, filter);
  }
  assert.equal((await service.api('/api/v1/runs/999')).status, 404);
  const bad = await service.api('/api/v1/runs?limit=0');
  assert.equal(bad.status, 400);
  assert.deepEqual(Object.keys((await bad.json()).error), ['code', 'message']);
  assert.equal((await service.api('/api/v1/nothing')).status, 404);
  assert.equal((await service.api('/healthz', { token: '' })).status, 200);
  assert.equal((await service.api('/readyz', { token: '' })).status, 200);

  const page = await service.api('/runs/1');
  assert.match(page.headers.get('content-security-policy'), /default-src 'none'/);
  const html = await page.text();
  assert.match(html, /<table/);
  const files = [...html.matchAll(/(?:href|src)="(\/static\/[^"]+)"/g)].map((match) => match[1]);
  assert.deepEqual(files, ['/static/style.css', '/static/report.js']);
  for (const [at, type] of ['text/css', 'text/javascript'].entries()) {
    const file = await service.api(files[at], { token: '' });
    assert.equal(file.status, 200, files[at]);
    assert.match(file.headers.get('content-type'), new RegExp(`^${type}\\b`));
    assert.match(file.headers.get('cache-control'), /max-age=\d+/);
  }
});

test('a run is submitted over REST by text and by fields', async () => {
  const post = (body, token = service.token) => service.api('/api/v1/runs', {
    method: 'POST', token, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' },
  });
  assert.equal((await post({ text: kRequest }, '')).status, 401);
  const byText = await post({ text: 'profile toy-moe fp32 on cpu conc 2' });
  assert.equal(byText.status, 202);
  const { runs } = await byText.json();
  await until('the run', async () => {
    const run = await (await service.api(`/api/v1/runs/${runs[0].id}`)).json();
    return run.state === 'done';
  });
  const byFields = await post({ model: 'toy-moe', hardware: 'cpu', conc: 1, steps: 2, phase: 'prefill' });
  assert.equal(byFields.status, 202);
  const refused = await post({ text: 'profile toy-moe fp32 on cpu conc 3' });
  assert.equal(refused.status, 422);
  assert.match((await refused.json()).error.message, /conc/);
  assert.equal((await post({ model: 'toy-moe', hardware: 7 })).status, 400);
  assert.equal((await post({ colour: 'red' })).status, 400);
});
