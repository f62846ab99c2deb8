// Redis is told every key of a script beforehand: what the server sees a script touch, over the
// whole API, is among the keys of its call.

import { afterAll, expect, test } from 'vitest';
import * as scripts from '../../src/core/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope } from '../support/scope.js';
import { ownServer } from '../support/server.js';

const scope = testScope('declared');
const server = await ownServer();
const raw = rawClient(server.url);

afterAll(async () => {
  await raw.del(...(await raw.keys('redisson_lock_token:*')), scope.prefix);
  const allow = [/^latchkey_(?:cancelled|requests|opened):/];
  await expectNoResidue(scope.prefix, { allow, client: raw });
  await expectNoChannels(scope.prefix, { client: raw });
});

interface Ran {
  readonly script: string;
  readonly declared: readonly string[];
  readonly touched: Set<string>;
}

const names = new Map(Object.values(scripts).map(({ sha1, name }) => [sha1, name] as const));

/** Commands of a script that have no key, or a channel in its place. */
const keyless = new Set(['TIME', 'PUBLISH', 'SPUBLISH']);

/** Watches what scripts do, from the moment this returns. */
async function watch(): Promise<Ran[]> {
  const ran: Ran[] = [];
  const monitor = await raw.monitor();
  monitor.on('monitor', (_, [command = '', ...args]: string[], origin: string) => {
    if (origin === 'lua') {
      if (!keyless.has(command.toUpperCase())) {
        ran.at(-1)?.touched.add(args[0] ?? '');
      }
    } else if (/^eval(?:sha)?$/i.test(command)) {
      const [what = '', count, ...operands] = args;
      // A source begins with its name, and comes here with its line ends written out.
      const script = names.get(what) ?? /^-- (.+?)\\n/.exec(what)?.[1] ?? what;
      ran.push({ script, declared: operands.slice(0, Number(count)), touched: new Set() });
    }
  });
  return ran;
}

test('every key that a script touches is declared, over the whole API', async () => {
  const ran = await watch();
  const has = (script: string): boolean => ran.some((each) => each.script === script);
  const proxy = await startProxy({ target: server.url });
  const client = scope.client({ redis: proxy.url, leaseMs: 600, commandTimeoutMs: 400 });
  const other = scope.client({ redis: server.url });

  // A wait that outlives a re-check, while the rest goes on.
  const hold = await other.getLock(scope.name()).acquire();
  const waiting = client.getLock(hold.lockName).acquire({ waitMs: 20_000 });
  for (const lock of [
    client.getLock(scope.name()),
    client.getFencedLock(scope.name()),
    client.getLock(`a:{${scope.name()}}:b`),
    client.getFencedLock(`a:{${scope.name()}}:b`),
  ]) {
    await lock.using(async (outer) => {
      await lock.using(async () => await lock.holdCount());
      await outer.extend(2_000);
      await other.getLock(lock.name).tryAcquire();
      await lock.remainingLeaseMs();
    });
    await lock.acquire();
    await lock.forceRelease();
    // Given up, taken back and burnt.
    const held = proxy.holdRequests((command) => command.includes(lock.name));
    await lock.tryAcquire({ waitMs: 50 }).catch(() => null);
    held.release();
  }
  for (const name of [scope.name(), `a:{${scope.name()}}:b`]) {
    const latch = client.getCountDownLatch(name);
    await latch.trySetCount(3, { ttlMs: 60_000 });
    const passing = latch.wait();
    await latch.countDown();
    await latch.countDown();
    const held = proxy.holdRequests((command) => command.includes(name));
    await latch.countDown().catch(() => undefined);
    held.release();
    await latch.delete();
    await passing;
  }
  await eventually(() => has('waits/probe') && has('lock/renew'), { withinMs: 15_000 });
  await hold.release();
  await (await waiting).release();

  const seen = new Set(ran.map(({ script }) => script));
  expect([...seen].toSorted()).toEqual([...names.values()].toSorted());
  const undeclared = ran.filter(({ declared, touched }) =>
    [...touched].some((key) => !declared.includes(key)),
  );
  expect(undeclared).toEqual([]);
  expect(ran.filter(({ touched }) => touched.size > 0).length).toBeGreaterThan(50);
});
