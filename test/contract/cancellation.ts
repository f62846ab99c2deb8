import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ClosedError } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { channelsUnder, keysUnder, redisUrl } from '../support/redis.js';
import { expectNoChannels } from '../support/residue.js';
import { fixtureOf, isRecord, rejection } from './fixture.js';
import type { Kind } from '../support/kinds/kind.js';

/** What ends a wait, and that nothing of it is left. */
export function cancellationSuite(kind: Kind): void {
  describe(`cancellation: ${kind.what}`, { concurrent: false }, () => {
    const { client, name, raw } = fixtureOf('cancellation', kind);

    test('aborting a wait rejects with the very reason and leaves nothing', async () => {
      const object = name();
      const mine = await kind.create(client(), object);
      const theirs = await kind.create(client(), object);
      const grant = await mine.acquire();
      // A quorum grants it before all its servers have.
      await eventually(async () => await kind.isTaken(object));
      const keys = async (): Promise<string[]> =>
        (await keysUnder(object, raw)).filter((key) => !isRecord(key));
      const before = await keys();
      const abort = new AbortController();
      const waits = [
        rejection(theirs.acquire({ signal: abort.signal })),
        rejection(theirs.tryAcquire({ signal: abort.signal, waitMs: 20_000 })),
        rejection(theirs.using(() => 'never', { signal: abort.signal })),
      ];
      await eventually(async () => (await channelsUnder(object, raw)).length > 0);
      const reason = new Error('enough');

      abort.abort(reason);

      expect((await Promise.all(waits)).every((each) => each === reason)).toBe(true);
      await eventually(async () => expect(await keys()).toEqual(before));
      expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
      await expectNoChannels(object, { withinMs: 5_000, client: raw });
      await grant.release();
    });

    test('a waiter that gives up lets the next one in', async () => {
      const object = await kind.create(client(), name());
      const grant = await object.acquire();
      const abort = new AbortController();
      const leaving = rejection(object.acquire({ signal: abort.signal }));
      const next = object.acquire({ waitMs: 20_000 });

      const released = grant.release();
      abort.abort();
      await released;

      expect(await leaving).toBe(abort.signal.reason);
      await (await next).release();
    });

    test('a waiter whose time ran out lets the next one in', async () => {
      const object = await kind.create(client(), name());
      const grant = await object.acquire();
      const [first, second] = [object.tryAcquire({ waitMs: 500 }), object.acquire()];

      const timedOut = await first;
      await grant.release();

      expect(timedOut).toBeNull();
      await (await second).release();
    });

    test('aborting after the grant changes nothing', async () => {
      const object = await kind.create(client(), name());
      const abort = new AbortController();
      const grant = await object.acquire({ signal: abort.signal });

      abort.abort();

      expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
      expect(await object.tryAcquire()).toBeNull();
      await grant.release();
    });

    test('a timeout signal rejects with its TimeoutError', async () => {
      const object = await kind.create(client(), name());
      const grant = await object.acquire();

      const error = await rejection(object.acquire({ signal: AbortSignal.timeout(100) }));

      expect(error).toMatchObject({ name: 'TimeoutError' });
      await grant.release();
    });

    test('closing ends every wait with ClosedError', async () => {
      const object = name();
      const [closing, other] = [client(), client()];
      const mine = await kind.create(closing, object);
      const theirs = await kind.create(other, object);
      const grant = await theirs.acquire();
      const waits = [
        rejection(mine.acquire()),
        rejection(mine.acquire()),
        rejection(mine.tryAcquire({ waitMs: 20_000 })),
        rejection(mine.using(() => 'never')),
      ];
      await eventually(async () => (await channelsUnder(object, raw)).length > 0);

      await closing.close();

      const errors = await Promise.all(waits);
      expect(errors.every((error) => error instanceof ClosedError)).toBe(true);
      await grant.release();
      await using free = await theirs.tryAcquire();
      expect(free).not.toBeNull();
    });
  });
}

/** What is left of an acquisition that nobody wants any more. */
export function givingUpSuite(kind: Kind): void {
  describe(`giving up: ${kind.what}`, { concurrent: false }, () => {
    const { client, name } = fixtureOf('giving-up', kind);

    test('an aborted signal rejects with its very reason, and nothing is sent', async () => {
      const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
      const mine = await kind.create(client({ redis: proxy.url }), object);
      const warmUp = await mine.acquire();
      await warmUp.release();
      const before = proxy.requests().length;
      const reason = { any: 'value' };
      const signal = AbortSignal.abort(reason);

      const rejections = await Promise.all([
        rejection(mine.acquire({ signal })),
        rejection(mine.tryAcquire({ signal })),
        rejection(mine.using(() => 'never', { signal })),
      ]);

      expect(rejections.every((each) => each === reason)).toBe(true);
      expect(proxy.requests()).toHaveLength(before);
    });

    test('what is granted while its caller gives up is given back', async () => {
      const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
      const mine = await kind.create(client({ redis: proxy.url }), object);
      const theirs = await kind.create(client(), object);
      await (await mine.acquire()).release();
      const abort = new AbortController();

      proxy.pauseDownstream();
      const wait = rejection(mine.acquire({ signal: abort.signal }));
      await eventually(async () => await kind.isTaken(object));
      abort.abort();

      expect(await wait).toBe(abort.signal.reason);
      proxy.resumeDownstream();
      await eventually(async () => !(await kind.isTaken(object)));
      await using next = await theirs.tryAcquire();
      expect(next).not.toBeNull();
    });

    test('what is granted while the client closes is given back', async () => {
      const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
      const closing = client({ redis: proxy.url });
      const mine = await kind.create(closing, object);
      const theirs = await kind.create(client(), object);
      await (await mine.acquire()).release();

      proxy.pauseDownstream();
      const wait = rejection(mine.acquire());
      await eventually(async () => await kind.isTaken(object));
      const closed = closing.close();

      expect(await wait).toBeInstanceOf(ClosedError);
      proxy.resumeDownstream();
      await closed;
      expect(await kind.isTaken(object)).toBe(false);
      await using next = await theirs.tryAcquire();
      expect(next).not.toBeNull();
    });
  });
}
