import { afterAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startWorker, type Worker, type WorkerMessage } from '../support/processes.js';
import { rawClient, redisUrl } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';

interface Look extends WorkerMessage {
  readonly isHeld: boolean;
  readonly aborted: boolean;
  readonly reason?: string;
  readonly state: string;
  readonly remainingMs: number;
}

interface Held extends WorkerMessage {
  readonly token: string;
  readonly holderId: string;
}

const scope = testScope('holder');
const raw = rawClient();
const gone = {
  isHeld: false,
  aborted: true,
  reason: 'ERR_LEASE_LOST',
  state: 'lost',
  remainingMs: 0,
};

afterAll(async () => {
  const tokens = await raw.keys(`redisson_lock_token:{${scope.prefix}*`);
  await raw.del(...tokens, scope.prefix);
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_cancelled:/] });
  await expectNoChannels(scope.prefix);
});

async function startHolder(name: string, leaseMs: number): Promise<{ worker: Worker; held: Held }> {
  const worker = startWorker('holder', { args: [redisUrl(), name, String(leaseMs)] });
  return { worker, held: await worker.message<Held>('held') };
}

test('when a holder is killed, another gets in within the lease, with a larger token', async () => {
  const name = scope.name();
  const { worker, held } = await startHolder(name, 600);
  const waiting = scope.client().getFencedLock(name).acquire({ waitMs: 20_000 });

  await worker.kill('SIGKILL');
  const [leftMs, killedAt] = [await raw.pttl(name), performance.now()];
  const hold = await waiting;

  expect(performance.now() - killedAt).toBeLessThan(leftMs + 1_500);
  expect(hold.fencingToken).toBeGreaterThan(BigInt(held.token));
  expect(hold.isHeld).toBe(true);
  await hold.release();
});

test('tokens grow over a row of killed holders', async () => {
  const name = scope.name();
  const tokens: bigint[] = [];

  for (let i = 0; i < 3; i += 1) {
    const { worker, held } = await startHolder(name, 200);
    tokens.push(BigInt(held.token));
    await worker.kill('SIGKILL');
  }

  expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(new Set(tokens).size).toBe(3);
  await eventually(async () => (await raw.exists(name)) === 0);
});

test('a holder frozen past its lease sees the loss on its first line, and frees nothing', async () => {
  const name = scope.name();
  const { worker, held } = await startHolder(name, 500);
  const client = scope.client();

  worker.signal('SIGSTOP');
  const stoppedAt = performance.now();
  const successor = await client.getFencedLock(name).acquire({ waitMs: 20_000 });
  // Its timer takes nothing shorter than a whole lease for a pause; the rest of one may be less.
  await eventually(() => performance.now() - stoppedAt > 600);
  worker.send({ type: 'look' });
  worker.send({ type: 'release' });
  worker.signal('SIGCONT');
  const [byMessage, released] = [
    await worker.message<Look>('looked'),
    await worker.message('released'),
  ];
  const timerLook = (): Look | undefined =>
    worker.messages.find(({ type }) => type === 'timer-after-pause') as Look | undefined;
  // Its timer may come after the messages.
  await eventually(() => timerLook() !== undefined);
  const byTimer = timerLook();

  expect(byMessage).toMatchObject(gone);
  expect(byTimer).toMatchObject(gone);
  expect(released).toMatchObject({ error: 'LeaseLostError' });
  expect(successor.isHeld).toBe(true);
  expect(successor.fencingToken).toBeGreaterThan(BigInt(held.token));
  expect(await raw.hgetall(name)).toEqual({ [successor.holderId]: '1' });
  await worker.kill();
  expect(await raw.hgetall(name)).toEqual({ [successor.holderId]: '1' });
  await successor.release();
});

test('a holder frozen past its lease sees the loss also when nobody took over', async () => {
  const name = scope.name();
  const { worker } = await startHolder(name, 300);

  worker.signal('SIGSTOP');
  await eventually(async () => (await raw.exists(name)) === 0);
  worker.send({ type: 'look' });
  worker.send({ type: 'release' });
  worker.signal('SIGCONT');
  const [look, released] = [await worker.message<Look>('looked'), await worker.message('released')];

  expect(look).toMatchObject(gone);
  expect(released).toMatchObject({ error: 'LeaseLostError', lostEvents: 1 });
  expect(await raw.exists(name)).toBe(0);
  await worker.kill();
});

test('a holder whose event loop was blocked past its lease sees the loss at once', async () => {
  const name = scope.name();
  const { worker } = await startHolder(name, 400);
  const successor = scope.client().getFencedLock(name).acquire({ waitMs: 20_000 });

  worker.send({ type: 'block', forMs: 900 });
  worker.send({ type: 'release' });
  const [look, released] = [
    await worker.message<Look>('blocked'),
    await worker.message('released'),
  ];
  const hold = await successor;

  expect(look).toMatchObject(gone);
  expect(released).toMatchObject({ error: 'LeaseLostError' });
  expect(hold.isHeld).toBe(true);
  expect(await raw.hgetall(name)).toEqual({ [hold.holderId]: '1' });
  await hold.release();
  await worker.kill();
});

test('a holder frozen for less than its lease still holds, and its lease is renewed', async () => {
  const name = scope.name();
  const { worker, held } = await startHolder(name, 3_000);

  worker.signal('SIGSTOP');
  await eventually(async () => (await raw.pttl(name)) < 1_900);
  worker.send({ type: 'look' });
  worker.signal('SIGCONT');
  const look = await worker.message<Look>('looked');
  await eventually(async () => (await raw.pttl(name)) > 2_500);
  const holders = await raw.hgetall(name);
  worker.send({ type: 'release' });
  const released = await worker.message('released');

  expect(look).toMatchObject({ isHeld: true, aborted: false });
  expect(holders).toEqual({ [held.holderId]: '1' });
  expect(released).toMatchObject({ error: 'none', lostEvents: 0 });
  expect(await raw.exists(name)).toBe(0);
  await worker.kill();
});

test('of two frozen holders in a row neither disturbs the one that holds now', async () => {
  const name = scope.name();
  const first = await startHolder(name, 300);
  first.worker.signal('SIGSTOP');
  const second = await startHolder(name, 300);
  second.worker.signal('SIGSTOP');
  const hold = await scope.client().getFencedLock(name).acquire({ waitMs: 20_000 });

  for (const { worker } of [first, second]) {
    worker.send({ type: 'look' });
    worker.send({ type: 'release' });
    worker.signal('SIGCONT');
  }
  const looks = await Promise.all(
    [first, second].map(async ({ worker }) => await worker.message<Look>('looked')),
  );
  const ends = await Promise.all(
    [first, second].map(async ({ worker }) => await worker.message('released')),
  );

  expect(looks).toMatchObject([gone, gone]);
  expect(ends.map(({ error }) => error)).toEqual(['LeaseLostError', 'LeaseLostError']);
  const tokens = [BigInt(first.held.token), BigInt(second.held.token), hold.fencingToken];
  expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
  expect(await raw.hgetall(name)).toEqual({ [hold.holderId]: '1' });
  await hold.release();
  await Promise.all([first, second].map(async ({ worker }) => await worker.kill()));
});
