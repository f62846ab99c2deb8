// What is told of a wait that lasts long, for each kind of object. Time passes at a run.

import { expect, test } from 'vitest';
import { createClientOn } from '../../../src/client.js';
import { systemClock } from '../../../src/core/base/clock.js';
import type { Client, ClientEvents, WaitOptions } from '../../../src/index.js';
import { lockInspect } from '../../../src/core/wire/scripts.generated.js';
import { eventually } from '../../support/eventually.js';
import { warningsWith } from '../../support/process-warnings.js';
import { randomName } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { skippingClock, type SkippingClock } from '../../support/skipping-clock.js';
import { countedTraffic } from '../../support/traffic.js';
import { leasedKinds } from '../../support/kinds/kinds.js';
import { readLock, writeLock } from '../../support/kinds/locks.js';

const server = await ownServer();
const warnings = warningsWith('REDLATCH_WAIT');

/** Ends at the end of the test that made it: the tests of this file run side by side. */
function clientOn(url: string, clock = systemClock(), leaseMs = 30_000): Client {
  return createClientOn({ clock }, { redis: url, leaseMs, commandTimeoutMs: 60_000 });
}

/** One whose time passes at a run, and whose leases are no reason to wait longer. */
const hasty = (clock: SkippingClock, url = server.url): Client => clientOn(url, clock, 100);

interface Stall {
  readonly id: string;
  /** Holds it, and says as whom; nobody holds a count. */
  hold(client: Client, name: string): Promise<string | undefined>;
  wait(client: Client, name: string, options: WaitOptions): Promise<unknown>;
}

const none = (): void => undefined;

const stalls: Stall[] = [
  ...leasedKinds.map(({ id, create, get, rival, idOf }) => ({
    id,
    async hold(client: Client, name: string) {
      await create(client, name);
      return idOf(await rival(client, name).acquire());
    },
    wait: async (client: Client, name: string, options: WaitOptions) =>
      await get(client, name).acquire(options),
  })),
  {
    id: 'write-lock',
    hold: async (client, name) => (await readLock.get(client, name).acquire()).holderId,
    wait: async (client, name, options) => await writeLock.get(client, name).acquire(options),
  },
  {
    id: 'semaphore',
    async hold(client, name) {
      await client.getSemaphore(name).trySetPermits(0);
      return undefined;
    },
    wait: async (client, name, options) => await client.getSemaphore(name).using(none, options),
  },
  {
    id: 'count-down-latch',
    async hold(client, name) {
      await client.getCountDownLatch(name).trySetCount(1);
      return undefined;
    },
    wait: async (client, name, options) => await client.getCountDownLatch(name).wait(options),
  },
];

/** The first such event of a wait, and what it has to be. */
async function stallOf(stall: Stall): Promise<unknown[]> {
  const { id } = stall;
  const name = randomName('stalled');
  const clock = skippingClock();
  await using client = hasty(clock);
  await using holder = clientOn(server.url);
  const holderId = await stall.hold(holder, name);
  const stalled: unknown[] = [];
  client.on('stalled', (event) => stalled.push(event));
  const abort = new AbortController();
  const caught = stall
    .wait(client, name, { signal: abort.signal })
    .catch((error: unknown) => error);

  await clock.lapse(() => stalled.length > 0);
  abort.abort(new Error('seen enough'));

  expect(await caught).toBe(abort.signal.reason);
  const number = expect.any(Number) as number;
  const holders = holderId === undefined ? [] : [{ holderId, depth: 1, remainingMs: number }];
  const part = id === 'multi-lock' ? { part: name } : {};
  return [stalled, [{ resource: name, kind: id, waitedMs: number, holders, waiters: 1, ...part }]];
}

test.concurrent('a wait that lasts is told with who is in the way', async () => {
  const events = await Promise.all(stalls.map(stallOf));

  expect(events.map(([told]) => told)).toEqual(events.map(([, expected]) => expected));
});

const warningsAbout = (name: string): string[] =>
  warnings.filter((text) => text.includes(`"${name}"`));

/** What is warned of a wait to which nobody listens, and whom it has to name. */
async function spokenOf(stall: Stall): Promise<[string, string]> {
  const name = randomName('spoken');
  const clock = skippingClock();
  await using client = hasty(clock);
  // Connected: while it waits for an answer, minutes pass on its clock.
  await client.getLock(randomName('spoken')).isLocked();
  await using holder = clientOn(server.url);
  const holderId = await stall.hold(holder, name);
  const abort = new AbortController();
  let ended: unknown;
  const waiting = stall.wait(client, name, { signal: abort.signal }).then(
    () => (ended = 'it got in'),
    (error: unknown) => (ended = error),
  );

  await clock.lapse(() => ended !== undefined || warningsAbout(name).length > 0);
  expect(ended).toBeUndefined();
  abort.abort(new Error('seen enough'));
  await waiting;

  return [warningsAbout(name).join('\n'), `the ${stall.id} "${name}"${holderId ?? ''}`];
}

test.concurrent('a wait that lasts and that nobody hears about is warned of once', async () => {
  const spoken = await Promise.all(stalls.map(spokenOf));

  for (const [text, object] of spoken) {
    const [what = '', holderId = ''] = object.split(/(?<=")(?!.*")/u);
    expect(text.split('\n')).toHaveLength(1);
    expect(text).toContain(what);
    expect(text).toContain(holderId);
  }
});

test.concurrent('a wait is told as stalled when it has lasted three seconds, and again at six', async () => {
  const name = randomName('stalled');
  const clock = skippingClock();
  await using client = hasty(clock);
  await using holder = clientOn(server.url);
  await holder.getLock(name).acquire();
  const waited: number[] = [];
  client.on('stalled', ({ waitedMs }) => waited.push(waitedMs));

  let isOver = false;
  const waiting = client.getLock(name).tryAcquire({ waitMs: 11_000 });
  void waiting.then(() => (isOver = true));
  await clock.lapse(() => isOver);

  expect(waited).toHaveLength(2);
  expect(waited[0]).toBeGreaterThanOrEqual(2_900);
  expect(waited[1]).toBeGreaterThanOrEqual(5_900);
});

test.concurrent('a thousand waits that last are told with one look at the holders', async () => {
  const name = randomName('stalled');
  const traffic = await countedTraffic(server.url);
  const clock = skippingClock();
  // Those due within three seconds are told together: so long no machine takes to begin them.
  await using client = createClientOn(
    { clock },
    { redis: traffic.url, leaseMs: 100, stalledAfterMs: 30_000, commandTimeoutMs: 60_000 },
  );
  await using holder = clientOn(server.url);
  const { holderId } = await holder.getLock(name).acquire();
  const holders: unknown[] = [];
  client.on('stalled', (event) => holders.push(event.holders));
  const lock = client.getLock(name);
  const waits = Array.from({ length: 1_000 }, async () => await lock.acquire().catch(none));

  await clock.lapse(() => holders.length >= 1_000);
  const looks = traffic.proxy
    .requests()
    .filter(([, what]) => what === lockInspect.sha1 || what === lockInspect.source);
  await client.close();
  await Promise.all(waits);

  expect(looks).toHaveLength(1);
  expect(holders).toHaveLength(1_000);
  expect(holders[999]).toMatchObject([{ holderId, depth: 1 }]);
});

test.concurrent.each([[100], [500]])(
  'a wait is told as stalled after the %i ms that the client was made with',
  async (stalledAfterMs) => {
    const name = randomName('stalled');
    await using client = createClientOn({}, { redis: server.url, stalledAfterMs });
    await using holder = clientOn(server.url);
    const held = await holder.getLock(name).acquire();
    const told: Parameters<ClientEvents['stalled']>[0][] = [];
    client.on('stalled', (event) => told.push(event));
    const lock = client.getLock(name);
    const waits = [lock.using(none), lock.using(none), lock.using(none)];

    await eventually(() => told.length >= 6);
    await held.release();
    await Promise.all(waits);
    const [first] = told;

    expect(first).toMatchObject({ resource: name, kind: 'lock', waiters: 3 });
    expect(first?.holders).toMatchObject([{ holderId: held.holderId, depth: 1 }]);
    expect(first?.holders[0]?.remainingMs).toBeGreaterThan(1_000);
    // Each wait is told at one span and at two, and no sooner.
    const waited = told.slice(0, 6).map(({ waitedMs }) => waitedMs);
    expect(Math.min(...waited.slice(0, 3))).toBeGreaterThanOrEqual(stalledAfterMs - 1);
    expect(Math.min(...waited.slice(3))).toBeGreaterThanOrEqual(2 * stalledAfterMs - 1);
  },
);
