// Nothing of ours runs in a context of the program: every reply, message, connection and round of
// renewals, every listener and handler, while scopes and requests cause them all.

import { AsyncResource } from 'node:async_hooks';
import { afterEach, expect, test } from 'vitest';
import { Call } from '../../../src/core/wire/call.js';
import { WaitLimit } from '../../../src/core/waiting/wait-limit.js';
import { ChannelHub } from '../../../src/core/waiting/channel-hub.js';
import { Watchdog } from '../../../src/core/lease/watchdog.js';
import type { AcquireOptions, Client, Lock, Permits } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { toldOf } from '../../support/told.js';
import { attempt, request, SHORT_MS } from './contexts.js';
import type { Kind } from '../../support/kinds/kind.js';
import { allKinds, allLasting } from '../../support/kinds/kinds.js';

const { client, name, raw } = fixture('everything', allLasting);

const restore: (() => void)[] = [];

afterEach(() => {
  for (const undo of restore.splice(0)) {
    undo();
  }
});

/** Notes in which request a method runs. */
function watch(
  type: { readonly prototype: object; readonly name: string },
  method: string,
): Set<string> {
  const seen = new Set<string>();
  const original = Reflect.get(type.prototype, method) as () => unknown;
  Reflect.set(type.prototype, method, function watched(this: unknown, ...args: []): unknown {
    seen.add(`${type.name}.${method}: ${request.getStore() ?? 'no request'}`);
    return Reflect.apply(original, this, args);
  });
  restore.push(() => Reflect.set(type.prototype, method, original));
  return seen;
}

/** Where no request is served, and no scope is. */
const elsewhere = new AsyncResource('elsewhere');

const EVENTS = ['acquired', 'released', 'lost', 'suspect', 'error'] as const;

/** Waits of all sorts for one object: for another client, for this one, for a lease, in vain. */
async function useAll(
  kind: Kind,
  mine: Client,
  other: Client,
  listen: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const object = name();
  const [own, blocker] = [await kind.create(mine, object), kind.rival(other, object)];
  const before = await blocker.acquire();
  const waiting = own.acquire();
  await eventually(async () => (await toldOf(object, raw)) > 0);
  await before.release();
  const first = await waiting;
  const second = own.using(() => undefined);
  await first.release();
  await second;
  const options: AcquireOptions = { leaseMs: SHORT_MS };
  const last: object = await own.acquire(options);
  if ('signal' in last && last.signal instanceof AbortSignal) {
    await listen(last.signal);
  } else {
    await (last as Permits).release();
  }
  const blocked = await blocker.acquire();
  const controller = new AbortController();
  const ended = [
    rejection(own.acquire({ waitMs: 5 })),
    rejection(own.acquire({ signal: controller.signal })),
  ];
  controller.abort();
  await Promise.all(ended);
  await blocked.release();
}

test('nothing of ours runs in the scope or the request that has caused it', async () => {
  const watched = [
    watch(Call, 'succeed'),
    watch(ChannelHub, 'deliver'),
    watch(Watchdog, 'connectionUp'),
    watch(Watchdog, 'connectionDown'),
    watch(WaitLimit, 'end'),
  ];
  const proxy = await startProxy({ target: redisUrl() });
  const maker = client();
  const makers = maker.getLock(name());
  let isOver = false;
  const found: Promise<readonly [string, string | undefined, ...(number | null)[]]>[] = [];
  const look = (what: string, locks: readonly Lock[]): void => {
    const depths = Promise.all(locks.map(async (lock) => await attempt(lock)));
    const store = request.getStore();
    found.push(depths.then((tried) => [what, store, ...tried] as const));
  };

  const heard = async (signal: AbortSignal): Promise<unknown> =>
    await new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(look('signal', [makers])));
      if (signal.aborted) {
        resolve(undefined);
      }
    });

  await request.run('maker', async () => {
    await makers.using(async () => {
      const mine = client({ redis: proxy.url });
      const scoped = mine.getLock(name());
      const locks = [makers, scoped];
      await request.run('user', async () => {
        await scoped.using(async () => {
          elsewhere.runInAsyncScope(() => {
            for (const event of EVENTS) {
              mine.on(event, (told: { resource?: string }) => {
                if (!isOver && !locks.some((lock) => lock.name === told.resource)) {
                  look(event, locks);
                }
              });
            }
          });
          const other = client();
          await Promise.all(allKinds.map(async (kind) => await useAll(kind, mine, other, heard)));
          const suspect = await mine.getLock(name()).acquire();
          proxy.cutAll();
          await eventually(() => suspect.state === 'suspect');
          await eventually(() => suspect.state === 'held');
          await suspect.release();
        });
      });
    });
  });

  // Clients close, and tell so, after the last look that counts.
  isOver = true;
  const seen = await Promise.all(found);
  expect(new Set(seen.map(([what]) => what))).toEqual(new Set([...EVENTS, 'signal']));
  expect(seen.filter(([, store, ...tried]) => store !== undefined || tried.some(Boolean))).toEqual(
    [],
  );
  expect(watched.flatMap((calls) => [...calls])).toEqual([
    'Call.succeed: no request',
    'ChannelHub.deliver: no request',
    'Watchdog.connectionUp: no request',
    'Watchdog.connectionDown: no request',
    'WaitLimit.end: no request',
  ]);
});
