// The command line as a contract: exit codes, one line on stderr, the same bytes for the same input.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { binary } from './daemon.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'stepscope-cli-'));
after(() => rmSync(folder, { recursive: true }));

const kTrace = JSON.stringify({
  baseTimeNanoseconds: 1760000000000000000,
  traceEvents: [
    { ph: 'X', cat: 'user_annotation', name: 'step[DECODE bs=1]', pid: 1, tid: 1, ts: 0, dur: 50 },
    { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 1, ts: 1, dur: 1, args: { correlation: 1 } },
    { ph: 'X', cat: 'kernel', name: 'gemm', pid: 0, tid: 7, ts: 10, dur: 5.5, args: { device: 0, stream: 7, correlation: 1 } },
    { ph: 'X', cat: 'kernel', name: 'ncclDevKernel_AllReduce', pid: 0, tid: 8, ts: 12, dur: 10, args: { device: 0, stream: 8, correlation: 1 } },
  ],
});

function file(name, content) {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  return target;
}
function stepscope(...args) {
  const options = typeof args.at(-1) === 'object' ? args.pop() : {};
  return spawnSync(binary, args, { encoding: 'utf8', ...options });
}

test('analyze prints JSON whose parts sum to the window', () => {
  const result = stepscope('analyze', '--format', 'json', file('t.json', kTrace));
  assert.equal(result.status, 0, result.stderr);
  const { step, trace, devices } = JSON.parse(result.stdout);
  // gemm 10 to 15.5, all-reduce 12 to 22: the step lasts 12 us, the gemm is charged 5.5 on the primary
  // stream, the all-reduce the 6.5 after it.
  assert.equal(step.wall_ns, 12_000);
  assert.deepEqual(step.kernels.map((row) => [row.name, row.wall_ns]),
    [['ncclDevKernel_AllReduce', 6_500], ['gemm', 5_500]]);
  assert.equal(step.idle_ns, 0);
  assert.equal(trace.origin_ns, '1760000000000010000');
  assert.equal(devices[0].primary_stream, '7');
});

test('the same trace gives the same bytes, plain and compressed but for the file itself', () => {
  const plain = file('same.json', kTrace);
  assert.equal(stepscope('analyze', '--format', 'json', plain).stdout,
    stepscope('analyze', '--format', 'json', plain).stdout);
  const packed = stepscope('analyze', '--format', 'json', file('packed', gzipSync(kTrace)));
  const { trace: unused, report: title, ...figures } = JSON.parse(packed.stdout);
  const { trace: other, report, ...expected } = JSON.parse(
    stepscope('analyze', '--format', 'json', plain).stdout);
  assert.deepEqual(figures, expected);
});

test('a cut trace is analysed and says so first, in every format', () => {
  const cut = file('cut.json', kTrace.slice(0, kTrace.length - 20));
  for (const format of ['markdown', 'html', 'csv', 'json']) {
    const result = stepscope('analyze', '--format', format, cut);
    assert.equal(result.status, 0, result.stderr);
    assert.match(result.stdout.slice(0, 120), /PARTIAL: cut at byte \d+/, format);
  }
  assert.equal(JSON.parse(stepscope('analyze', '--format', 'json', cut).stdout).trace.complete, false);
});

test('what can not be analysed exits with 3 and one line', () => {
  const inputs = {
    'empty.json': '', 'text.json': 'hello', 'no-events.json': '{"traceEvents": []}',
    'cpu.json': '[{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":1}]', 'other.json': '{"a": 1}',
    'cut.gz': gzipSync(kTrace).subarray(0, 12),
  };
  for (const [name, content] of Object.entries(inputs)) {
    const result = stepscope('analyze', file(name, content));
    assert.equal(result.status, 3, name);
    assert.equal(result.stdout, '');
    assert.equal(result.stderr.trimEnd().split('\n').length, 1, result.stderr);
    assert.match(result.stderr, new RegExp(name.replace('.', '\\.')));
  }
  assert.equal(stepscope('analyze', path.join(folder, 'absent.json')).status, 3);
});

test('wrong usage exits with 2', () => {
  const trace = file('u.json', kTrace);
  for (const args of [[], ['analyze'], ['nothing'], ['analyze', '--format', 'xml', trace],
    ['analyze', '--table', 'kernels', trace], ['analyze', '--step', 'x', trace],
    ['analyze', '--step', '9', trace], ['analyze', '--rank', '5', trace]]) {
    const result = stepscope(...args);
    assert.equal(result.status, 2, args.join(' '));
    assert.notEqual(result.stderr, '');
  }
});

test('compare prints deltas that sum to the delta of the walls', () => {
  const before = file('before.json', kTrace);
  // The all-reduce ends 3 us later: the wall grows by what it is charged more.
  const after = file('after.json', kTrace.replace('"ts":12,"dur":10', '"ts":12,"dur":13'));
  const result = stepscope('compare', '--format', 'json', before, after);
  assert.equal(result.status, 0, result.stderr);
  const comparison = JSON.parse(result.stdout);
  assert.equal(comparison.schema, 'stepscope.compare/1');
  assert.equal(comparison.wall.delta_ns, 3_000);
  for (const list of ['categories', 'components', 'kernels']) {
    const sum = comparison[list].reduce((all, row) => all + row.charged_delta_ns, 0);
    assert.equal(sum + comparison.idle.delta_ns, 3_000, list);
  }
  const stored = file('before.breakdown.json',
    stepscope('analyze', '--format', 'json', before).stdout);
  const same = stepscope('compare', stored, before);
  assert.equal(same.status, 0, same.stderr);
  assert.match(same.stdout, /^### A against B\n\nA \*\*0\.012 ms\*\*, B \*\*0\.012 ms\*\*: no difference\./);
});

test('compare: wrong usage exits with 2, an input that can not be analysed with 3 and its side', () => {
  const trace = file('c.json', kTrace);
  for (const args of [[], [trace], [trace, trace, trace], ['--format', 'html', trace, trace],
    ['--step', 'x', trace, trace], ['--rank', '5', trace, trace]]) {
    assert.equal(stepscope('compare', ...args).status, 2, args.join(' '));
  }
  const bad = stepscope('compare', trace, file('bad.json', 'hello'));
  assert.equal(bad.status, 3);
  assert.equal(bad.stdout, '');
  assert.match(bad.stderr, /^stepscope: B: .*bad\.json.*\n$/);
  const run = stepscope('compare', '--server', 'http://127.0.0.1:1', '57', trace);
  assert.equal(run.status, 3);
  assert.match(run.stderr, /^stepscope: A: run 57: .*does not answer/);
});

test('classify names the rule that matched', () => {
  const result = stepscope('classify', { input: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)\nzzz\n' });
  const [comm, unknown] = result.stdout.split('\n').map((line) => line.split('\t'));
  assert.deepEqual([comm[0], comm[1]], ['comm-allreduce-nccl', 'communication']);
  assert.equal(unknown[2], '-');
});

test('check-config names file, line and key', () => {
  const bad = file('bad.toml', '[server]\nlisten = "nowhere"\ncolour = "red"\n[github]\napp_id = 5\n');
  const result = stepscope('check-config', '--config', bad);
  assert.equal(result.status, 2);
  assert.match(result.stderr, /bad\.toml:2: server\.listen: must be/);
  assert.match(result.stderr, /bad\.toml:3: server\.colour: unknown key/);
  assert.match(result.stderr, /bad\.toml:5: github\.app_id: must be a string/);
  const good = stepscope('check-config', '--config', file('good.toml', '[server]\nlisten = "[::1]:0"\n'));
  assert.equal(good.status, 0, good.stderr);
});

test('request prints how a comment is understood, one line each', () => {
  const lines = ['{}\t"@stepscope profile toy-moe fp32 on cpu conc 4, 5 decode steps"', '{}\t"hello"'];
  const result = stepscope('request', { input: lines.join('\n') + '\n' });
  assert.equal(result.status, 0, result.stderr);
  const [profile, ignored] = result.stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
  assert.equal(profile.jobs[0].key, 'toy-moe-fp32-cpu-builtin');
  assert.equal(profile.jobs[0].steps, 5);
  assert.equal(ignored.v, 'ignore');
});
