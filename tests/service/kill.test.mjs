// The daemon is killed -9 again and again while a request is under way: nothing is lost, nothing doubled.
// STEPSCOPE_KILLS says how often.

import assert from 'node:assert/strict';
import { randomInt, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { closingSums, commentPayload, Service, until } from './daemon.mjs';

const kKills = Number(process.env.STEPSCOPE_KILLS ?? 3);
const kLifeMsMax = 900;
const service = new Service();

before(async () => {
  await service.startMock();
  service.configure();
});
after(() => service.stop());

test(`one request survives ${kKills} kills`, async () => {
  const body = '@stepscope profile toy-moe fp32 on cpu conc 4, 5 decode steps';
  const payload = commentPayload({ body, commentId: 501 });
  const guid = randomUUID();
  let accepted = false;
  for (let kill = 0; kill < kKills; ++kill) {
    await service.startDaemon();
    const life = pause(randomInt(kLifeMsMax));
    if (!accepted) {  // GitHub's "redeliver" button: the same GUID again, until it was answered
      const answer = service.deliver(payload, { guid }).catch(() => null);
      await life;
      await service.kill();
      accepted = (await answer)?.status === 202;
    } else {
      await life;
      await service.kill();
    }
  }
  await service.startDaemon();
  if (!accepted) assert.equal((await service.deliver(payload, { guid })).status, 202);
  const comment = await until('a finished comment', async () => {
    const { comments } = await service.onGithub();
    return comments.find((one) => one.body.includes('Finished in'));
  });
  const sums = closingSums(comment.body);
  assert.equal(sums.charged + sums.idle, sums.wall);
  const { comments, violations } = await service.onGithub();
  assert.equal(comments.length, 1);
  assert.deepEqual(violations, []);
  const { runs } = await (await service.api('/api/v1/runs')).json();
  assert.equal(runs.length, 1);
  assert.equal(runs[0].state, 'done');
});

test(`a request in each of ${kKills} lives is answered once`, async () => {
  const known = new Set((await service.onGithub()).comments.map((one) => one.id));
  const unanswered = new Map();
  for (let kill = 0; kill < kKills; ++kill) {
    await service.kill();
    await service.startDaemon();
    const conc = [1, 2, 4, 8][kill % 4];
    const payload = commentPayload(
      { body: `@stepscope profile toy-moe fp32 on cpu conc ${conc}`, commentId: 1000 + kill });
    unanswered.set(payload, randomUUID());
    const answers = [...unanswered].map(async ([one, guid]) => {
      const answer = await service.deliver(one, { guid }).catch(() => null);
      if (answer?.status === 202) unanswered.delete(one);
    });
    await pause(randomInt(kLifeMsMax));
    await service.kill();
    await Promise.all(answers);
  }
  await service.startDaemon();
  for (const [payload, guid] of unanswered) {
    assert.equal((await service.deliver(payload, { guid })).status, 202);
  }
  const finished = await until('all comments', async () => {
    const { comments } = await service.onGithub();
    const fresh = comments.filter((one) => !known.has(one.id));
    return fresh.length >= kKills && fresh.every((one) => one.body.includes('Finished in')) && fresh;
  });
  assert.equal(finished.length, kKills);
  for (const comment of finished) {
    const sums = closingSums(comment.body);
    assert.equal(sums.charged + sums.idle, sums.wall);
  }
});
