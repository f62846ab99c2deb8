// The server has granted a lock to a waiter in its line, and the waiter does not know it yet: its
// message is kept under way.

import { describe, expect, test, type TestContext } from 'vitest';
import type { Hold } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { titled, type ExclusiveLock } from '../support/kinds/kind.js';
import { fairLock, fencedLock, lock, stored, writeLock } from '../support/kinds/locks.js';
import type { ProxyConnection } from '../support/proxy.js';
import { keysUnder, rawClient } from '../support/redis.js';
import {
  faultWorlds,
  isSubscriber,
  listening,
  sendsCommands,
  settledRequests,
  take,
  type World,
} from './world.js';

const open = faultWorlds('granted-unknown');

interface Scene extends World {
  readonly abort: AbortController;
  /** It was granted the lock. */
  readonly granted: Promise<Hold>;
  /** Of that grant. */
  readonly holderId: string;
  /** A waiter of another client, behind it in the line. */
  readonly next: Promise<Hold>;
  /** Where it is mute: lets what it sends go to the server. */
  readonly ask: () => void;
  /** Lets the message come. */
  readonly tell: () => void;
  /** The connection that the message is on. */
  readonly messages: ProxyConnection;
}

/** A lock is handed to a waiter who is not told. It would find out with its next heartbeat, unless it is mute. */
async function scene(
  kind: ExclusiveLock,
  context: TestContext,
  { isMute = false } = {},
): Promise<Scene> {
  const world = await open(context, { handOff: 'strict' });
  const { proxy, name, client, other, open: start } = world;
  const held = await take(kind.get(other, name), { leaseMs: 60_000 });
  const abort = new AbortController();
  const granted = kind.get(client, name).acquire({ signal: abort.signal });
  granted.catch(() => undefined);
  await listening(name);
  await settledRequests(proxy, name);
  const messages = proxy.connections().find(isSubscriber)!;
  const asks = proxy.connections().find(sendsCommands)!;
  const next = kind.get(start({ handOff: 'strict' }), name).acquire();
  next.catch(() => undefined);
  await listening(name, 2);
  await settledRequests(proxy, name);

  messages.down.stop('paused');
  if (isMute) {
    asks.up.stop('paused');
  }
  await held.release();
  let holderId = '';
  await eventually(async () => {
    [holderId = ''] = Object.keys(await stored(name));
    return holderId.startsWith(client.id);
  });
  return {
    ...world,
    abort,
    granted,
    holderId,
    next,
    messages,
    ask: () => asks.up.go('paused'),
    tell: () => messages.down.go('paused'),
  };
}

async function expectNext({ next, name }: Scene): Promise<void> {
  const hold = await next;
  expect(await stored(name)).toEqual({ [hold.holderId]: '1' });
  await hold.release();
}

describe.concurrent.each(titled([lock, fencedLock, fairLock, writeLock]))(
  'a %s that was granted to somebody',
  (_, kind) => {
    test('who gives up meanwhile: the next one in the line gets it', async (context) => {
      const all = await scene(kind, context);

      all.abort.abort(new Error('enough'));
      await expect(all.granted).rejects.toThrow('enough');

      await expectNext(all);
      all.tell();
    });

    test('whose client closes meanwhile: the next one in the line gets it', async (context) => {
      const all = await scene(kind, context);

      await all.client.close();

      await expect(all.granted).rejects.toMatchObject({ code: 'ERR_CLOSED' });
      await expectNext(all);
    });

    test('whose messages never come: it asks, and has it', async (context) => {
      const all = await scene(kind, context);

      all.proxy.halfOpen((connection) => connection === all.messages);

      const hold = await all.granted;
      expect(hold.holderId).toBe(all.holderId);
      await hold.release();
      await expectNext(all);
    });

    test('who is told after Java has freed it by force: it is not in beside the next one', async (context) => {
      const all = await scene(kind, context, { isMute: true });
      const lost: string[] = [];
      all.client.on('lost', ({ holderId }) => lost.push(holderId));
      let first: Hold | undefined;
      void all.granted.then((hold) => {
        first = hold;
      });

      await kind.vacate(all.name);
      all.tell();
      const second = await all.next;
      all.ask();

      // It may have begun a hold, and is told of the loss when it confirms that.
      await eventually(() => first === undefined || !first.isHeld);
      expect(second.isHeld).toBe(true);
      expect(await stored(all.name)).toEqual({ [second.holderId]: '1' });
      await second.release();
      const hold = await all.granted;
      expect(hold.isHeld || lost.includes(hold.holderId)).toBe(true);
      await hold.release().catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'ERR_LEASE_LOST' });
      });
    });

    test.for([['', false] as const, [', and another waiter of it was answered', true] as const])(
      'who is told after its own client has freed it by force%s: it is not in beside the next one',
      async ([, hasThird], context) => {
        const all = await scene(kind, context);
        let isIn = false;
        void all.granted.then(() => {
          isIn = true;
        });

        await kind.get(all.client, all.name).forceRelease();
        const second = await all.next;
        const third = hasThird ? kind.get(all.client, all.name).acquire() : undefined;
        await settledRequests(all.proxy, all.name);
        const before = all.proxy.requests().length;
        all.tell();
        await eventually(() => all.proxy.requests().length > before);

        expect(isIn).toBe(false);
        expect(await stored(all.name)).toEqual({ [second.holderId]: '1' });
        await second.release();
        await (await all.granted).release();
        await (await third)?.release();
      },
    );

    test('who is told after everything was flushed: its next token is larger', async (context) => {
      const all = await scene(kind, context);

      await rawClient().del(...(await keysUnder(all.name)));
      all.tell();
      const first = await all.granted;
      const second = await all.next;

      if (kind === fencedLock) {
        expect(second.fencingToken! > first.fencingToken!).toBe(true);
      }
      await second.release();
      await first.release().catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'ERR_LEASE_LOST' });
      });
    });
  },
);
