import { describe, expect, test } from 'vitest';
import { CommandTimeoutError, type Hold, type Lock } from '../../../src/index.js';
import { fixtureOf, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import { exclusiveLocks } from '../../support/kinds/kinds.js';

interface Stage {
  readonly proxy: Proxy;
  /** The lock as seen by a client whose network is bad. */
  readonly lock: Lock;
  /** The lock as seen by a client whose network is good. */
  readonly other: Lock;
  readonly object: string;
  readonly outer: Hold;
}

/** A script call that states `count` holds of a holder. */
function stating(holderId: string, count: number): (command: string[]) => boolean {
  return (command) => {
    const at = command.indexOf(holderId);
    return at > 0 && command[at + 1] === String(count);
  };
}

describe.each(exclusiveLocks)('a re-entry on its way: $what', (kind) => {
  const { client, name, raw } = fixtureOf('in-flight', kind);

  async function setStage(): Promise<Stage> {
    const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
    const lock = kind.create(client({ redis: proxy.url }), object);
    const other = kind.create(client(), object);
    const outer = await lock.acquire();
    return { proxy, lock, other, object, outer };
  }

  test('keeps the lock when the outer hold is released before its answer comes', async () => {
    const { proxy, lock, other, object, outer } = await setStage();

    proxy.pauseDownstream();
    const entering = lock.acquire({ within: outer });
    await eventually(async () => (await raw.hget(object, kind.field(outer.holderId))) === '2');
    const releasing = outer.release();
    await eventually(async () => (await raw.hget(object, kind.field(outer.holderId))) === '1');
    // Both have been run, and neither is answered.
    const answers = [await other.tryAcquire()];
    proxy.resumeDownstream();
    const inner = await entering;
    await releasing;
    answers.push(await other.tryAcquire());

    expect(answers).toEqual([null, null]);
    expect([inner.isHeld, inner.holderId, outer.state]).toEqual([true, outer.holderId, 'released']);
    await inner.release();
    await using free = await other.tryAcquire();
    expect(free).not.toBeNull();
  });

  test('keeps the lock when its first answer is lost and the outer hold is released', async () => {
    const { proxy, lock, other, outer } = await setStage();
    const cut = proxy.cutReplyAfter(stating(outer.holderId, 2));

    const entering = lock.acquire({ within: outer });
    await eventually(() => proxy.requests().some(stating(outer.holderId, 2)));
    const [inner] = await Promise.all([entering, outer.release()]);
    const during = await other.tryAcquire();

    expect(cut.cut).toHaveLength(1);
    expect([during, inner.isHeld]).toEqual([null, true]);
    await inner.release();
    await using free = await other.tryAcquire();
    expect(free).not.toBeNull();
  });

  test('a copy of it that comes after everything was released brings nothing back', async () => {
    const { proxy, lock, other, object, outer } = await setStage();
    const first = proxy.connections();
    const late = proxy.holdRequests(
      (command, from) => first.includes(from) && stating(outer.holderId, 2)(command),
    );

    const entering = lock.acquire({ within: outer });
    await eventually(() => late.held.length === 1);
    proxy.cutAll();
    const inner = await entering;
    await outer.release();
    await inner.release();
    const between = await raw.exists(object);
    const before = Number(/total_commands_processed:(\d+)/.exec(await raw.info('stats'))?.[1]);
    late.release();
    await eventually(async () => {
      const stats = await raw.info('stats');
      return Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]) > before + 1;
    });

    expect(between).toBe(0);
    await using free = await other.tryAcquire();
    expect(free).not.toBeNull();
  });

  test('aborted, it leaves the outer hold with exactly what it had', async () => {
    const { proxy, lock, other, object, outer } = await setStage();
    const abort = new AbortController();

    proxy.pauseDownstream();
    const entering = rejection(lock.acquire({ within: outer, signal: abort.signal }));
    await eventually(async () => (await raw.hget(object, kind.field(outer.holderId))) === '2');
    abort.abort();
    const error = await entering;
    proxy.resumeDownstream();
    await eventually(async () => (await raw.hget(object, kind.field(outer.holderId))) === '1');

    expect(error).toBe(abort.signal.reason);
    expect(outer.isHeld).toBe(true);
    expect(await other.tryAcquire()).toBeNull();
    await using again = await lock.tryAcquire({ within: outer });
    expect(again?.depth).toBe(2);
    await outer.release();
  });

  test('aborted after the outer hold was released, it leaves nothing', async () => {
    const { proxy, lock, other, object, outer } = await setStage();
    const abort = new AbortController();

    proxy.pauseDownstream();
    const entering = rejection(lock.acquire({ within: outer, signal: abort.signal }));
    await eventually(async () => (await raw.hget(object, kind.field(outer.holderId))) === '2');
    const releasing = outer.release();
    abort.abort();
    const error = await entering;
    proxy.resumeDownstream();
    await releasing;

    expect(error).toBe(abort.signal.reason);
    await using next = await other.acquire({ waitMs: 10_000 });
    expect(next.isHeld).toBe(true);
  });

  test('out of time, it is CommandTimeoutError and the outer hold stays held', async () => {
    const { proxy, lock, object, outer } = await setStage();

    proxy.pauseDownstream();
    const error = await rejection(lock.tryAcquire({ within: outer, waitMs: 200 }));
    proxy.resumeDownstream();
    await eventually(async () => (await raw.hget(object, kind.field(outer.holderId))) === '1');

    expect(error).toBeInstanceOf(CommandTimeoutError);
    expect(outer.isHeld).toBe(true);
    await outer.release();
    expect(await raw.exists(object)).toBe(0);
  });

  test('lost together with the outer hold, it takes nothing from the next holder', async () => {
    const { proxy, lock, other, object } = await setStage();
    await lock.forceRelease();
    const outer = await lock.acquire({ leaseMs: 400 });

    proxy.pauseUpstream();
    const entering = rejection(lock.acquire({ within: outer, leaseMs: 60_000 }));
    const next = await other.acquire({ waitMs: 10_000 });
    const error = await entering;
    proxy.resumeUpstream();
    const { holderId } = next;
    // What was kept is run before what is sent now.
    const holders = await lock.holders();

    expect(error).toBe(outer.signal.reason);
    expect(holders).toMatchObject([{ holderId, depth: 1 }]);
    expect([outer.state, next.isHeld]).toEqual(['lost', true]);
    expect(await raw.hgetall(object)).toEqual(kind.hash(holderId, 1));
    await next.release();
  });
});
