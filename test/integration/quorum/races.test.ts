// What a majority must not be misled by: the same server twice, minorities, copies of a lock that come back.

import { expect, test } from 'vitest';
import { createClient, type ClientEvents, type Hold } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-races');
const [first = '', second = '', third = ''] = stage.urls;

test('an address that leads to another member later gives no second vote', async () => {
  const proxy = await startProxy({ target: third });
  const client = await stage.connected({ servers: [first, second, proxy.url] });
  const lock = client.getLock(stage.name());
  const hold = await lock.acquire();
  await eventually(async () => (await stage.holders(lock.name)).flat().length === 3);

  proxy.leadTo(() => first);
  proxy.cutAll();
  const error: unknown = await eventually(
    async () =>
      await lock.tryAcquire().then(
        () => null,
        (thrown: unknown) => (thrown instanceof TypeError ? thrown : null),
      ),
  );
  // What two servers have is a majority yet; with one of them gone it is none, whatever the third address says.
  expect(String(error)).toContain('are one server');
  expect(hold.isHeld).toBe(true);
  await stage.raw(1).del(lock.name);
  await stage.raw(2).del(lock.name);
  await eventually(() => hold.state === 'lost', { withinMs: 10_000 });
  await eventually(async () => (await stage.raw(0).exists(lock.name)) === 0);
});

test('a minority on the server that is asked first keeps no waiter out', async () => {
  const client = await stage.connected();
  const name = stage.name();
  await using one = createClient({ redis: first });
  await using two = createClient({ redis: second });
  const [onOne, onTwo] = [await one.getLock(name).acquire(), await two.getLock(name).acquire()];

  const waiting = client.getLock(name).acquire({ waitMs: 10_000 });
  await eventually(
    async () => (await stage.raw(1).pubsub('NUMSUB', `redisson_lock__channel:{${name}}`))[1] === 1,
  );
  await onTwo.release();
  const hold = await waiting;

  expect(hold.isHeld).toBe(true);
  await Promise.all([hold.release(), onOne.release()]);
});

test('a client that is closed while it asks leaves nothing', async () => {
  const proxy = await startProxy({ target: first });
  for (const isFenced of [false, true]) {
    const client = await stage.connected({ servers: [proxy.url, second, third] });
    const name = stage.name();
    const lock = isFenced ? client.getFencedLock(name) : client.getLock(name);
    const acquiring = lock.acquire().catch((error: unknown) => error);
    await client.close();

    const hold = await acquiring;
    expect((hold as Partial<Hold>).isHeld ?? false).toBe(false);
    await eventually(async () => (await stage.holders(name)).flat().length === 0);
  }
  await stage.expectNothingLeft();
});

test('the turn of a re-entry that is lost at once is freed once', async () => {
  const client = await stage.connected();
  const names = [stage.name(), stage.name()] as const;
  const lock = client.getLock(names[0]);
  let inside = 0;
  let most = 0;

  const branch = async (): Promise<void> => {
    await lock.using(async () => {
      inside += 1;
      most = Math.max(most, inside);
      await lock.isLocked();
      inside -= 1;
    });
  };

  await lock.using(async () => {
    const brief = client.getMultiLock(names).acquire({ leaseMs: 1 });
    await Promise.allSettled([brief, branch(), branch()]);
    await brief.then(async (hold) => await hold.release()).catch(() => {});
  });

  expect(most).toBe(1);
});

test('a re-entry with a fixed lease is not renewed when the hold around it has ended', async () => {
  const client = await stage.connected({ leaseMs: 1_000, maxLeaseMs: 3_000 });
  const lock = client.getLock(stage.name());
  const outer = await lock.acquire();
  const inner = await lock.acquire({ within: outer, leaseMs: 500 });

  await outer.release();
  await eventually(() => inner.state === 'lost', { withinMs: 5_000 });

  await (await lock.acquire()).release();
});

test('names that look like those of a multi-lock wait for themselves only', async () => {
  const client = await stage.connected();
  const other = await stage.connected();
  const names = [stage.name(), stage.name()];
  const lock = client.getMultiLock(names);
  const held = await other.getMultiLock(names).acquire();
  const waiting = lock.acquire();

  const alike = await client.getLock(lock.name).acquire({ waitMs: 2_000 });

  await alike.release();
  await held.release();
  await (await waiting).release();
});

test('a hold that cannot be proven is reported once, whatever the number of names', async () => {
  const proxies = await Promise.all([
    startProxy({ target: first }),
    startProxy({ target: second }),
  ]);
  const client = await stage.connected({ servers: [...proxies.map(({ url }) => url), third] });
  const told: string[] = [];
  const note =
    (event: string) =>
    ({ resource }: Parameters<ClientEvents['suspect']>[0]) => {
      told.push(`${event} ${resource}`);
    };
  client.on('suspect', note('suspect'));
  const lock = client.getMultiLock([stage.name(), stage.name(), stage.name()]);
  const hold = await lock.acquire();
  await eventually(async () => (await stage.holders(lock.names[0]!)).flat().length === 3);

  proxies.forEach((proxy) => proxy.refuse());
  proxies.forEach((proxy) => proxy.cutAll());
  await eventually(() => hold.state === 'suspect');
  await Promise.all(proxies.map(async (proxy) => await proxy.accept()));
  await eventually(() => hold.state === 'held', { withinMs: 3_000 });

  expect(told).toEqual([`suspect ${lock.name}`]);
  await hold.release();
});

test('what was held by another meanwhile is not taken back, but lost', async () => {
  const proxies = await Promise.all([
    startProxy({ target: second }),
    startProxy({ target: third }),
  ]);
  const client = await stage.connected({ servers: [first, ...proxies.map(({ url }) => url)] });
  const other = await stage.connected();
  const lock = client.getFencedLock(stage.name());
  const hold = await lock.acquire();
  await eventually(async () => (await stage.holders(lock.name)).flat().length === 3);

  proxies.forEach((proxy) => proxy.refuse());
  proxies.forEach((proxy) => proxy.cutAll());
  // Freed by hand on all servers: with the first it is noticed at once, or with the next renewal.
  await Promise.all([0, 1, 2].map(async (place) => await stage.raw(place).del(lock.name)));
  await eventually(async () => (await stage.holders(lock.name))[0]?.[0] === hold.holderId);
  const theirs = await other.getFencedLock(lock.name).acquire();
  await theirs.release();
  // One after the other: what the first server has granted again must not make a majority with the second.
  const [atSecond, atThird] = proxies;
  await atSecond.accept();
  await eventually(
    async () => hold.state === 'lost' || (await stage.holders(lock.name))[1]?.[0] === hold.holderId,
  );
  await atThird.accept();
  await eventually(() => hold.state === 'lost');

  expect(theirs.fencingToken).toBeGreaterThan(hold.fencingToken);
  expect(hold.signal.aborted).toBe(true);
  await expect(hold.release()).rejects.toThrow(/was lost/u);
});
