// Jobs of an operator's own catalog and recipes: every way to end, what is marked, what is limited, what is
// removed.

import assert from 'node:assert/strict';
import { createReadStream, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { commentPayload, Service, until } from './daemon.mjs';

const service = new Service();
const server = createServer((request, response) => {
  createReadStream(path.join(service.folder, 'trace.json.gz')).pipe(response);
});

const kTrace = JSON.stringify({ traceEvents: [
  { ph: 'M', name: 'process_name', pid: 1, tid: 0, args: { name: 'python on secret-host' } },
  { ph: 'X', cat: 'user_annotation', name: 'step[DECODE bs=4]', pid: 1, tid: 1, ts: 0, dur: 90 },
  { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 1, ts: 1, dur: 1, args: { correlation: 1 } },
  { ph: 'X', cat: 'kernel', name: 'gemm', pid: 0, tid: 7, ts: 10, dur: 5, args: { device: 0, stream: 7, correlation: 1 } },
  { ph: 'X', cat: 'kernel', name: 'gemm', pid: 0, tid: 7, ts: 30, dur: 5, args: { device: 0, stream: 7, correlation: 1 } },
], hostname: 'secret-host', username: 'secret-user' });

// What a recipe's shell does; "$1" is its folder, "$HERE" the test's.
const kScripts = {
  good: 'cp "$HERE/trace.json.gz" "$1/"',
  breaks: 'printf "out of memory @all <b>|`x`\\n"; exit 1',
  refuses: 'echo "no such model" >&2; exit 2',
  silent: 'exit 0',
  endless: 'sleep 600 & sleep 600',
  cut: 'head -c -60 "$HERE/trace.json" > "$1/trace.json"',
};

function catalog() {
  const rows = [...Object.keys(kScripts).map((name) => ({ name })),
    { name: 'nobody', hardware: 'mi355x' }, { name: 'elsewhere', recipe: 'good', hardware: 'h200' },
    { name: 'file', recipe: 'replay', hardware: 'h200', trace: 'trace.json.gz' },
    { name: 'url', recipe: 'replay', hardware: 'h200',
      trace: `http://127.0.0.1:${server.address().port}/trace.json.gz` },
    { name: 'gone', recipe: 'replay', hardware: 'h200', trace: 'gone.json.gz' }];
  return { format: 1, configs: rows.map(({ name, recipe = name, hardware = 'b200', trace }) => ({
    key: name, model_prefix: name, hardware, precision: 'fp8', framework: 'sglang', recipe, trace,
    scenarios: [{ type: 'fixed', isl: 8, osl: 8, search_space: [{ conc: [1, 4] }] }],
  })) };
}

function submit(text) {
  return service.api('/api/v1/runs', { method: 'POST', body: JSON.stringify({ text }) });
}
async function ended(text) {
  const answer = await submit(text);
  assert.equal(answer.status, 202);
  const { runs: [{ id }] } = await answer.json();
  return until(text, async () => {
    const run = await (await service.api(`/api/v1/runs/${id}`)).json();
    return run.finished_ms !== null && run;
  });
}

before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  await service.startMock();
  service.write('trace.json', kTrace);
  writeFileSync(path.join(service.folder, 'trace.json.gz'), gzipSync(kTrace));
  service.write('catalog.json', JSON.stringify(catalog()));
  const recipes = Object.entries(kScripts).map(([name, script]) => `
[[recipe]]
name = "${name}"
hardware = ["b200"]
argv = ["/bin/sh", "-c", '''HERE="${service.folder}"; ${script}''', "sh", "{out}"]
time_limit_s = ${name === 'endless' ? 1 : 60}`).join('');
  service.configure({ server: 'queued_jobs_max = 2', extra: `[catalog]\nfile = "catalog.json"\n${recipes}` });
  await service.startDaemon();
});
after(async () => {
  server.close();
  await service.stop();
});

test('a recipe of one\'s own is run and its trace analysed; who recorded it is not shown', async () => {
  const run = await ended('profile good on b200 conc 4');
  assert.equal(run.state, 'done');
  assert.equal(run.replayed, false);
  for (const route of [`/runs/${run.id}`, `/api/v1/runs/${run.id}`, `/api/v1/runs/${run.id}/breakdown`,
    `/api/v1/runs/${run.id}/breakdown?format=markdown`]) {
    const text = await (await service.api(route)).text();
    assert.doesNotMatch(text, /secret-/, route);
    assert.ok(!text.includes(service.folder), route);
  }
});

test('every failure has its layer and its number of attempts', async () => {
  const expected = {
    breaks: ['failed', 'runner', 3, /^recipe breaks exited with 1: out of memory/],
    refuses: ['failed', 'runner', 1, /^recipe refuses exited with 2: no such model$/],
    silent: ['failed', 'capture', 3, /^the recipe ended well but left no trace file$/],
    endless: ['timed_out', 'runner', 1, /^recipe endless took longer than its limit of 1 s$/],
    cut: ['failed', 'capture', 1, /^the trace is cut or damaged; the report is partial$/],
    gone: ['failed', 'runner', 1, /can not read gone\.json\.gz: No such file or directory$/],
  };
  for (const [name, [state, layer, attempt, message]] of Object.entries(expected)) {
    const run = await ended(`profile ${name} conc 4`);
    assert.equal(run.state, state, name);
    assert.equal(run.failure.layer, layer, name);
    assert.equal(run.attempt, attempt, name);
    assert.match(run.failure.message, message);
    const times = run.events.map((event) => event.at_ms);
    assert.deepEqual(times, [...times].sort((a, b) => a - b), name);
  }
});

test('a cut trace fails with its partial report', async () => {
  const { runs } = await (await service.api('/api/v1/runs?model=cut')).json();
  const partial = await service.api(`/api/v1/runs/${runs[0].id}/breakdown?format=markdown`);
  assert.match(await partial.text(), /^PARTIAL: cut at byte \d+ /);
});

test('what a recipe prints does not come alive in the comment', async () => {
  await service.deliver(commentPayload({ body: '@stepscope profile breaks conc 4', commentId: 31 }));
  const comment = await until('the comment', async () => {
    const { comments } = await service.onGithub();
    return comments.find((one) => one.body.includes('**Failed**'));
  });
  const outsideCode = comment.body.replace(/(`+)[\s\S]*?[^`]\1(?!`)/g, '');
  assert.doesNotMatch(outsideCode, /@|<b>|\|/);
});

test('a replay says that it is one, wherever it stands', async () => {
  for (const name of ['file', 'url']) {
    const run = await ended(`profile ${name} conc 4`);
    assert.equal(run.state, 'done', JSON.stringify(run.failure));
    assert.equal(run.replayed, true);
    const text = async (route) => (await service.api(route)).text();
    assert.match(await text(`/runs/${run.id}`), /Replayed/);
    assert.match(await text(`/api/v1/runs/${run.id}/breakdown?format=markdown`), /Replayed/);
    assert.equal(JSON.parse(await text(`/api/v1/runs/${run.id}/breakdown`)).report.replayed, true);
  }
  await service.deliver(commentPayload({ body: '@stepscope profile file conc 4', commentId: 32 }));
  await until('the comment', async () => {
    const { comments } = await service.onGithub();
    return comments.find((one) => /Finished in/.test(one.body) && /Replayed/.test(one.body));
  });
});

test('jobs that nobody takes wait and say so; when too many wait, more are refused', async () => {
  // The recipe of the second row runs on other hardware here: its job waits as well.
  const texts = ['@stepscope profile nobody conc 4', '@stepscope profile elsewhere on h200 conc 4'];
  for (const [index, body] of texts.entries()) {
    assert.equal((await service.deliver(commentPayload({ body, commentId: 40 + index }))).status, 202);
  }
  await until('both comments', async () => {
    const { comments } = await service.onGithub();
    return ['`mi355x` with the recipe `nobody`', '`h200` with the recipe `good`'].every((kind) =>
      comments.some((one) => one.body.includes(`No worker for ${kind} has been seen yet`)));
  });
  const full = await submit('profile good conc 4');
  assert.equal(full.status, 429);
  assert.equal((await full.json()).error.code, 'queue_full');
  await service.deliver(commentPayload({ body: '@stepscope profile good conc 4', commentId: 42 }));
  await until('the refusal', async () => {
    const { comments } = await service.onGithub();
    return comments.some((one) => one.body.includes('Too many runs are waiting already'));
  });
});

test('at SIGTERM the recipe\'s processes end, after SIGKILL at the next start', async () => {
  const left = () => readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`PWD=${service.folder}`) &&
        readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('sleep\0');
    } catch {
      return false;
    }
  });
  // Room in the queue: the waiting jobs' limit counts.
  const toml = readFileSync(path.join(service.folder, 'stepscope.toml'), 'utf8');
  service.write('stepscope.toml', toml.replace('queued_jobs_max = 2', 'queued_jobs_max = 99')
    .replace('time_limit_s = 1', 'time_limit_s = 600'));
  await service.kill('SIGTERM');
  assert.equal(service.daemon.exitCode, 0);
  await service.startDaemon();
  assert.equal((await submit('profile endless conc 4')).status, 202);
  await until('the processes', () => left().length === 2);
  const first = left();
  await service.kill('SIGKILL');
  await service.startDaemon();
  await until('others in their place', () => left().length === 2 && !left().some((pid) => first.includes(pid)));
  await service.kill('SIGTERM');
  assert.equal(service.daemon.exitCode, 0);
  assert.deepEqual(left(), []);
});
