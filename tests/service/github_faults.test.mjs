// GitHub on bad days: lost answers, limits, refusals for good. Never two comments, always the right end;
// as an App, with a personal token, and on an Enterprise Server.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { closingSums, commentPayload, Service, until } from './daemon.mjs';

const kRequest = '@stepscope profile toy-moe fp32 on cpu conc 1';
// {operation, ...}: what happens to the next request of that operation.
const kFaults = {
  'the new comment meets a server error': { operation: 'issues/create-comment', statuses: [502] },
  'the answer to the new comment is lost': { operation: 'issues/create-comment', drop: 'after' },
  'the new comment fails after it was written':
    { operation: 'issues/create-comment', statuses: [500], act: true },
  'the new comment meets a limit':
    { operation: 'issues/create-comment', statuses: [429], headers: { 'Retry-After': '1' } },
  'the answer to an edit is lost': { operation: 'issues/update-comment', drop: 'after' },
  'the list of comments fails': { operation: 'issues/list-comments', statuses: [500] },
};
// The ways differ in accounts and addresses, not in what a fault leads to: one goes through all of them.
const kFew = ['the answer to the new comment is lost', 'the new comment meets a limit'];
const kWays = [
  { name: 'an App', mock: {}, login: 'stepscope[bot]', faults: Object.keys(kFaults) },
  { name: 'a personal token', mock: { personalToken: 'ghp_aTokenOfAPerson' }, login: 'stepscope-user',
    faults: kFew },
  { name: 'an Enterprise Server', mock: { apiRoot: '/api/v3' }, login: 'stepscope[bot]', faults: kFew },
];
let issue = 100;

// A new issue with a request of `login` on it; what the daemon wrote there, once `enough` says so.
class Thread {
  constructor(service) {
    this.service = service;
    this.number = ++issue;
  }
  async open(state = {}) {
    const { service, number } = this;
    await service.control('issues', { repository: service.repository, number, ...state });
  }
  async ask(login = 'Codertocat') {
    const { service, number } = this;
    const { id } = await service.control('comments',
      { repository: service.repository, issue: number, login, body: kRequest });
    const payload = commentPayload({ body: kRequest, commentId: id, issue: number, login });
    return service.deliver(payload);
  }
  async replies() {
    const { comments } = await this.service.onGithub(this.number);
    return comments.filter((one) => one.body.startsWith('<!-- stepscope:request='));
  }
  async finished() {
    await until('a finished comment',
      async () => (await this.replies()).some((one) => one.body.includes('Finished in')));
    return this.replies();
  }
}

for (const { name, mock, login, faults } of kWays) {
  describe(`signed in with ${name}`, () => {
    const service = new Service();
    before(async () => {
      await service.startMock(mock);
      service.configure();
      await service.startDaemon();
    });
    after(() => service.stop());

    for (const what of faults) {
      test(what, async () => {
        const thread = new Thread(service);
        await thread.open();
        await service.control('faults', kFaults[what]);
        assert.equal((await thread.ask()).status, 202);
        const replies = await thread.finished();
        assert.equal(replies.length, 1);
        assert.equal(replies[0].login, login);
        const sums = closingSums(replies[0].body);
        assert.equal(sums.charged + sums.idle, sums.wall);
        assert.deepEqual((await service.onGithub(thread.number)).violations, []);
      });
    }

    test('where GitHub does not say who may write, the delivery fails and can be repeated', async () => {
      const thread = new Thread(service);
      await thread.open();
      await service.control('permissions',
        { repository: service.repository, login: 'newcomer', permission: 'write' });
      await service.control('faults',
        { operation: 'repos/get-collaborator-permission-level', statuses: [500] });
      assert.equal((await thread.ask('newcomer')).status, 503);
      assert.equal((await thread.ask('newcomer')).status, 202);
      assert.equal((await thread.finished()).length, 1);
    });

    test('a comment that somebody deletes is posted once more', async () => {
      const thread = new Thread(service);
      await thread.open();
      await service.control('faults', { operation: 'issues/update-comment', latency_ms: 300 });
      assert.equal((await thread.ask()).status, 202);
      const [first] = await until('the comment', async () => {
        const replies = await thread.replies();
        return replies.length > 0 && replies;
      });
      await service.control('delete-comment', { id: first.id });
      const [second, ...more] = await thread.finished();
      assert.deepEqual(more, []);
      assert.notEqual(second.id, first.id);
    });

    test('a locked issue gets no comment, and the run says so', async () => {
      const thread = new Thread(service);
      await thread.open({ locked: true });
      assert.equal((await thread.ask()).status, 202);
      const { runs: [run] } = await (await service.api('/api/v1/runs?limit=1')).json();
      const page = await until('the word of the page', async () => {
        const text = await (await service.api(`/runs/${run.id}`)).text();
        return text.includes('<strong>done</strong>') && text.includes('not posted') && text;
      });
      assert.match(page, /the issue is locked/);
      assert.deepEqual(await thread.replies(), []);
    });

    test('no log line holds a secret', () => {
      const secrets = ['Secret to Everybody', 'ghs_', 'ghp_', 'eyJ', 'PRIVATE KEY', service.token];
      for (const secret of secrets) assert.ok(!service.log.includes(secret), secret);
      assert.notEqual(service.log, '');
    });
  });
}

test('a person whose token the daemon has may ask like others', async () => {
  const service = new Service();
  try {
    await service.startMock({ personalToken: 'ghp_aTokenOfAPerson' });
    service.configure();
    await service.startDaemon();
    await service.control('permissions',
      { repository: service.repository, login: 'stepscope-user', permission: 'admin' });
    const thread = new Thread(service);
    await thread.open();
    assert.equal((await thread.ask('stepscope-user')).status, 202);
    const [reply, ...more] = await thread.finished();
    assert.deepEqual(more, []);
    // What it wrote itself starts nothing.
    const own = commentPayload({ body: `${reply.body}\n\n${kRequest}`, commentId: 7, issue: thread.number,
      login: 'stepscope-user' });
    assert.match(await (await service.deliver(own)).text(), /own_account/);
  } finally {
    await service.stop();
  }
});
