// Functions that are frozen between two invocations, as on AWS Lambda.

import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startWorker } from '../support/processes.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

const scope = testScope('invocations');
const raw = rawClient();

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests):/] });
});

test.concurrent.each([
  ['whose connections were closed meanwhile', (proxy: Proxy) => proxy.cutAll()],
  ['whose connections are dead without a sign', (proxy: Proxy) => proxy.halfOpen(() => true)],
])('a function %s knows after its thaw what it has lost, and goes on', async (_, spoil) => {
  const proxy = await startProxy({ target: redisUrl() });
  const name = scope.name();
  const worker = startWorker('invocations', { args: [proxy.url, name, '1000'] });
  await worker.message('ready');
  worker.send({ type: 'invoke' });
  const first = await worker.message('returned');

  worker.signal('SIGSTOP');
  await eventually(async () => (await raw.exists(name)) === 0);
  spoil(proxy);
  worker.send({ type: 'invoke' });
  worker.signal('SIGCONT');
  const second = await worker.message('returned');
  worker.send({ type: 'end' });
  const closed = await worker.message('closed');

  expect(first).toMatchObject({ isHeld: true });
  expect(second).toMatchObject({
    before: { isHeld: false, aborted: true, reason: 'LeaseLostError' },
    released: 'LeaseLostError',
    isHeld: true,
  });
  expect(second['tookMs']).toBeLessThan(3_000);
  expect(closed).toMatchObject({ unhandled: 0 });
  expect(await worker.exited).toEqual({ code: 0, signal: null });
});
