import { expect, test } from 'vitest';
import { AccessDeniedError } from '../../src/index.js';
import { reply, settled, stage } from '../support/replica-stage.js';

/** A stage with one wait, which is to be confirmed. */
async function started(timeoutMs?: number, leaseMs?: number) {
  const world = stage();
  const wait = await world.wait(timeoutMs, leaseMs);
  return { world, confirmation: world.confirmation, wait };
}

test('a grant is confirmed by a script that writes, and then WAIT is sent behind that', async () => {
  const { world, confirmation, wait } = await started();

  expect(confirmation.items).toMatchObject([{ holderId: 'me:1', count: 1 }]);
  // 0 would only ask, and write nothing.
  expect(confirmation.items[0]?.leaseMs).toBeGreaterThan(0);
  expect(confirmation.terms).toMatchObject({ lane: 1, resend: false });
  expect(world.behind).toEqual([]);
  await confirmation.answer();

  expect(world.asked.call).toBe(confirmation.call);
  expect(wait.outcomes).toEqual([]);
  await world.asked.answer(1);

  expect(wait.outcomes).toEqual([{ is: 'enough' }]);
});

test('the confirmation lengthens no lease', async () => {
  const { confirmation, wait } = await started(1_000, 10_000);

  expect(confirmation.items[0]?.leaseMs).toBe(wait.lease.remainingMs);
});

test('WAIT ends a little before the time of the first is up, and is never without end', async () => {
  for (const [timeoutMs, waitMs] of [
    [1_000, 900],
    [100, 50],
    [1, 1],
  ] as const) {
    const { confirmation, world } = await started(timeoutMs);
    await world.wait(5_000);
    await confirmation.answer();

    expect(world.asked.parts).toEqual(['WAIT', '1', String(waitMs)]);
    // The server may look at it ten times a second.
    expect(world.asked.takesMs).toBe(waitMs + 100);
  }
});

test('those that come during a WAIT share the next one', async () => {
  const { world, confirmation, wait } = await started();
  await confirmation.answer();
  const first = world.asked;
  const later = [await world.wait(), await world.wait()];
  expect(world.confirmations).toHaveLength(1);

  await first.answer(1);

  expect(wait.outcomes).toEqual([{ is: 'enough' }]);
  expect(world.confirmations).toHaveLength(2);
  expect(world.confirmation.items).toHaveLength(2);
  await world.confirmation.answer();
  expect(world.behind).toHaveLength(2);
  await world.asked.answer(2);
  expect(later.map(({ outcomes }) => outcomes)).toEqual([[{ is: 'enough' }], [{ is: 'enough' }]]);
});

test('a lock that the server does not have any more is lost, and no replica is asked', async () => {
  const { world, confirmation, wait } = await started();

  await confirmation.answer(undefined, ['deleted']);

  expect(wait.outcomes).toMatchObject([{ is: 'lost', cause: { reason: 'deleted' } }]);
  expect(world.behind).toEqual([]);
});

test('a lease that is over by the clock is not granted, though the replicas have it', async () => {
  const { world, confirmation, wait } = await started(60_000, 10_000);
  await confirmation.answer();
  wait.lease.holders = [wait.wait];

  world.clock.freeze(10_000);
  await world.asked.answer(1);

  expect(wait.outcomes).toMatchObject([{ is: 'lost' }]);
});

test('what was confirmed on a connection that has ended is confirmed again', async () => {
  const { world, confirmation, wait } = await started();
  await confirmation.answer();

  await world.asked.fail(new Error('the connection was closed'));
  expect(world.confirmations).toHaveLength(1);
  world.clock.advance(16);
  await settled();

  expect(world.confirmations).toHaveLength(2);
  const other = {};
  await world.confirmation.answer(other);
  expect(world.asked.call).toBe(world.confirmation.call);
  await world.asked.answer(1);
  expect(wait.outcomes).toEqual([{ is: 'enough' }]);
});

test('a WAIT counts for what its own connection has confirmed alone', async () => {
  const { world, confirmation, wait } = await started();
  const other = await world.wait();
  const [, second] = world.confirmations;
  await Promise.all([confirmation.answer({}), second?.answer({})]);
  expect(world.behind).toHaveLength(1);

  await world.asked.answer(1);

  expect(wait.outcomes).toEqual([{ is: 'enough' }]);
  expect(other.outcomes).toEqual([]);
  expect(world.behind).toHaveLength(2);
  expect(world.asked.call).toBe(second?.call);
});

test('a confirmation that is refused for the moment is sent again after pauses that grow', async () => {
  const { world } = await started(10_000);
  const oom = reply("OOM command not allowed when used memory > 'maxmemory'.");

  for (const pauseMs of [16, 32, 64, 128, 256, 512, 1_000, 1_000]) {
    const { length } = world.confirmations;
    await world.confirmation.fail(oom);
    world.clock.advance(pauseMs - 1);
    await settled();
    expect(world.confirmations).toHaveLength(length);
    world.clock.advance(1);
    await settled();
    expect(world.confirmations).toHaveLength(length + 1);
  }
});

test('when the time is up it is short, and says how many there were', async () => {
  const { world, confirmation, wait } = await started(1_000);
  const second = await world.wait(2_000);
  for (const sent of world.confirmations) {
    await sent.answer(confirmation.call);
  }
  const { asked } = world;

  await asked.answer(0);
  expect(wait.outcomes).toEqual([]);
  world.clock.advance(1_000);
  expect(wait.outcomes).toEqual([{ is: 'short', cause: undefined }]);
  // The other one is waited for further.
  await settled();
  await world.asked.answer(0);
  expect(second.outcomes).toEqual([]);
  await world.asked.answer(1);
  expect(second.outcomes).toEqual([{ is: 'enough' }]);
});

test('a confirmation that nobody waits for any more is not sent', async () => {
  const { world, confirmation, wait } = await started(1_000);

  world.clock.advance(1_000);

  expect(wait.outcomes).toEqual([{ is: 'short', cause: undefined }]);
  expect(world.abandoned).toEqual([confirmation.call]);
});

test('when the replicas could not be asked, it is short for that reason', async () => {
  const { world, confirmation, wait } = await started(40);
  const cause = new Error('no connection');
  await confirmation.fail(cause);

  world.clock.advance(40);

  expect(wait.outcomes).toEqual([{ is: 'short', cause }]);
});

test.each([
  "NOPERM User app has no permissions to run the 'wait' command",
  "ERR unknown command 'WAIT', with args beginning with: '1' '900'",
  'ERR this proxy does not do that',
])('a server that does not carry out WAIT is not asked again: %s', async (message) => {
  const { world, confirmation, wait } = await started();
  await confirmation.answer();

  await world.asked.fail(reply(message));
  world.clock.advance(100);
  await settled();

  expect(wait.outcomes).toMatchObject([{ is: 'failed', error: { resource: 'r' } }]);
  expect((wait.outcomes[0] as { error: unknown }).error).toBeInstanceOf(AccessDeniedError);
  expect(world.confirmations).toHaveLength(1);
});

test.each([
  'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
  'ERR WAIT cannot be used with replica instances. Please also note that ...',
])('a master that was demoted meanwhile is asked again: %s', async (message) => {
  const { world, confirmation, wait } = await started();
  await confirmation.answer();

  await world.asked.fail(reply(message));
  world.clock.advance(16);
  await settled();

  expect(wait.outcomes).toEqual([]);
  expect(world.confirmations).toHaveLength(2);
});
