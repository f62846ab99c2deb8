// Whoever gives up while the answer is under way is not in, and keeps nobody else out.

import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { expectHolder, faultWorlds, take, type World, prepare } from './world.js';
import { kinds, lockKinds } from '../support/kinds/kinds.js';
import { titled, type Grant, type Kind } from '../support/kinds/kind.js';
import { stored } from '../support/kinds/locks.js';

const open = faultWorlds('aborted');

/** Well below the re-check of 5 s: whoever gets in this fast was woken. */
const PROMPTLY_MS = 2_500;

async function promptly<T>(work: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const hold = await work;
  expect(performance.now() - startedAt).toBeLessThan(PROMPTLY_MS);
  return hold;
}

/** What a client says it got and lost. */
function tale(client: Client): string[] {
  const told: string[] = [];
  client.on('acquired', () => told.push('acquired'));
  client.on('lost', () => told.push('lost'));
  return told;
}

describe.concurrent.each(titled(kinds))(
  'an acquisition of a %s, aborted with its answer under way',
  (_, kind) => {
    test('is never announced, nor told as lost', async (context) => {
      const world = await open(context);
      const { proxy, name, client } = world;
      await prepare(kind, world);
      const told = tale(client);
      const abort = new AbortController();

      proxy.pauseDownstream();
      const acquiring = kind.get(client, name).acquire({ signal: abort.signal });
      await granted(kind, world);
      abort.abort(new Error('left'));
      await expect(acquiring).rejects.toThrow('left');
      proxy.resumeDownstream();
      const next = await take(kind.get(client, name));
      await next.release();
      await client.close();

      expect(told).toEqual(['acquired']);
    });

    test('does not take the turn of the waiter behind it', async (context) => {
      const world = await open(context);
      const { proxy, name, client, other } = world;
      await prepare(kind, world);
      const lock = kind.get(client, name);
      const abort = new AbortController();

      proxy.pauseDownstream();
      const first = lock.acquire({ signal: abort.signal }).catch((error: unknown) => error);
      const waiting = [1, 2].map(async () => await lock.acquire({ waitMs: 6_000 }));
      await granted(kind, world);
      abort.abort(new Error('left'));
      proxy.resumeDownstream();

      await first;
      await passThrough(waiting);
      await (await take(kind.rival(other, name))).release();
    });
  },
);

describe.concurrent.each(titled(lockKinds))(
  'a re-entry of a %s, aborted with its answer under way',
  (_, kind) => {
    test('leaves its outer hold as it was', async (context) => {
      const { proxy, name, client } = await open(context);
      const told = tale(client);
      const lock = kind.get(client, name);
      const outer = await take(lock);
      const abort = new AbortController();

      proxy.pauseDownstream();
      const entering = lock.acquire({ signal: abort.signal, within: outer });
      await eventually(async () => (await stored(name))[outer.holderId] === '2');
      abort.abort(new Error('left'));
      await expect(entering).rejects.toThrow('left');
      proxy.resumeDownstream();
      await lock.isLocked();

      expect(told).toEqual(['acquired']);
      expect(outer.isHeld).toBe(true);
      await expectHolder(name, outer, 1);
      await outer.release();
      expect(await stored(name)).toEqual({});
    });
  },
);

test('an acquisition that a listener of another grant in the same answer aborts has its grant by then', async (context) => {
  const { name, client, proxy } = await open(context);
  const abort = new AbortController();
  const locks = [client.getLock(`${name}-a`), client.getLock(`${name}-b`)] as const;
  client.on('acquired', ({ resource }) => {
    if (resource === locks[0].name) {
      abort.abort(new Error('left'));
    }
  });

  // Both answers come together.
  await client.getLock(name).isLocked();
  proxy.pauseDownstream();
  const acquiring = Promise.all([
    locks[0].tryAcquire(),
    locks[1].tryAcquire({ signal: abort.signal }),
  ]);
  await eventually(async () => Object.keys(await stored(locks[1].name)).length === 1);
  proxy.resumeDownstream();
  const [first, second] = await acquiring;

  expect([abort.signal.aborted, second?.isHeld]).toEqual([true, true]);
  await Promise.all([first?.release(), second?.release()]);
  await eventually(async () => Object.keys(await stored(locks[1].name)).length === 0);
});

/** Waits until somebody is in. */
async function granted(kind: Kind, { name }: World): Promise<void> {
  await eventually(async () => !(await kind.isFree(name)));
}

/** Every waiter gets in and lets the next one in. */
async function passThrough(waiting: Promise<Grant>[]): Promise<void> {
  for (const acquiring of waiting) {
    const hold = await promptly(acquiring);
    await hold.release();
  }
}
