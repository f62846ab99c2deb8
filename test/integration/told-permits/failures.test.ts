// A first use that fails, or whose outcome is not known: the number stays to be set by the next one.

import { describe, expect, test } from 'vitest';
import { CommandTimeoutError } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { configured, kinds, lasting, left, takes } from './world.js';

const { client, name, raw } = fixture('told-failures', lasting);

describe.each(kinds)('$kind', (kind) => {
  test('a first use without a connection sets nothing, and the next one does', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    proxy.refuse();
    const own = client({ redis: proxy.url, commandTimeoutMs: 600 });
    const id = name();

    const error = await rejection(kind.take(own, id, 4));
    await proxy.accept();
    expect(error).toBeInstanceOf(CommandTimeoutError);
    expect(await left(id)).toBeNull();
    await eventually(async () => {
      await takes(kind, own, id, 4);
    });

    expect(await left(id)).toBe(3);
  });

  test('one that is still to be sent when the connection is there waits and sets it', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    proxy.refuse();
    const own = client({ redis: proxy.url });
    const id = name();

    const taking = takes(kind, own, id, 4);
    await proxy.accept();
    await taking;

    expect(await left(id)).toBe(3);
  });

  test('after an outcome that is not known the next use sets the number, where it was not', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url, commandTimeoutMs: 600 });
    const id = name();
    await own.getLock(name()).isLocked();
    const held = proxy.holdRequests((command) => command.includes(id));

    const error = await rejection(kind.get(own, id, 4).availablePermits());
    held.release();

    expect(error).toMatchObject({ code: 'ERR_OUTCOME_UNKNOWN' });
    await eventually(async () => {
      expect(await kind.get(own, id, 4).availablePermits()).toBe(4);
    });
    await kind.get(own, id).delete();
    expect(await kind.take(own, id, 4)).toBeNull();
  });

  test('a first use that was aborted has stated the number: the next one makes none that was deleted', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url });
    const id = name();
    await own.getLock(name()).isLocked();
    const abort = new AbortController();
    proxy.pauseDownstream();

    const { signal } = abort;
    const aborted = rejection(
      kind.kind === 'semaphore'
        ? own.getSemaphore(id, { permits: 4 }).acquire(1, { signal })
        : own.getPermitExpirableSemaphore(id, { permits: 4 }).acquire({ signal }),
    );
    await eventually(async () => (await left(id)) === 3);
    abort.abort(new Error('enough'));
    await aborted;
    await eventually(async () => (await left(id)) === 4);
    expect(await kind.get(client(), id).delete()).toBe(true);
    proxy.resumeDownstream();

    expect(await kind.take(own, id, 4)).toBeNull();
  });

  test('a first use that the server refuses leaves the number to the next one', async () => {
    const [own, id] = [client(), name()];
    await raw.hset(id, 'some', 'thing');
    expect(await rejection(kind.take(own, id, 4))).toMatchObject({ code: 'ERR_WRONG_TYPE' });
    await raw.del(id);

    await takes(kind, own, id, 4);

    expect(await left(id)).toBe(3);
  });

  test('an addition out of range changes nothing of what was stated before it', async () => {
    const [own, id] = [client(), name()];
    const semaphore = kind.get(own, id, 4);

    expect(await rejection(semaphore.addPermits(2_147_483_647))).toBeInstanceOf(RangeError);

    expect(await semaphore.availablePermits()).toBe(4);
  });

  test('what an acquisition was granted with another number comes back when it is given up', async () => {
    const proxy = await startProxy({ target: redisUrl() });
    const own = client({ redis: proxy.url, commandTimeoutMs: 600 });
    const id = name();
    await kind.get(client(), id).trySetPermits(3);
    await own.getLock(name()).isLocked();
    const events = configured(own);
    proxy.pauseDownstream();

    const error = await rejection(kind.take(own, id, 5));
    await eventually(async () => (await left(id)) === 2);
    proxy.resumeDownstream();

    expect(error).toBeInstanceOf(CommandTimeoutError);
    await eventually(async () => (await left(id)) === 3);
    await takes(kind, own, id, 5);
    // Once: by the answer to the first statement, where that was still waited for, or to the second.
    expect(events).toEqual([{ resource: id, kind: kind.kind, permits: 3, wanted: 5 }]);
  });
});

test('a release out of range changes nothing of what was stated before it', async () => {
  const [own, id] = [client(), name()];
  const semaphore = own.getSemaphore(id, { permits: 4 });

  expect(await rejection(semaphore.release(2_147_483_647))).toBeInstanceOf(RangeError);

  expect(await semaphore.availablePermits()).toBe(4);
});
