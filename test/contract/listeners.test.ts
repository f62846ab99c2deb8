// A listener may do anything: what it does finds every hold, waiter and permit settled.

import { describe, expect, test } from 'vitest';
import { createClient, type Client, type CountDownLatch, type Hold } from '../../src/index.js';
import { allWrongEnds, toldBy } from '../support/ends.js';
import { eventually } from '../support/eventually.js';
import { ask } from '../support/kinds/connection.js';
import type { Kind } from '../support/kinds/kind.js';
import { kinds, lockKinds } from '../support/kinds/kinds.js';
import { startProxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';
import { fixture, fixtureOf, gate } from './fixture.js';
import { ACTS, Cell, type Clients } from './listeners.js';
import { SCENES, type Scene } from './listener-scenes.js';

/** So many cells are played at once: their clients connect within the time of a command on a busy machine, too. */
const AT_ONCE = 24;

type Act = [what: string, act: (cell: Cell) => void];

/** Nobody has it: a rival gets it, and a semaphore is whole after that. */
async function isFree({ kind, name, other, keptOut }: Cell): Promise<boolean> {
  if (kind.isSemaphore && (keptOut > 0 || (await ask().exists(name)) === 0)) {
    // Its permits are out for good, or it was deleted.
    return true;
  }
  const grant = await kind.rival(other, name).tryAcquire();
  await grant?.release();
  return grant !== null && (!kind.isSemaphore || (await kind.isFree(name)));
}

/** What is wrong in the end; undefined when nothing is. */
async function wrongIn(scene: Scene, cell: Cell): Promise<string | undefined> {
  const told = toldBy(cell.own);
  try {
    await scene.play(cell);
    await eventually(() => cell.acts > 0);
    await cell.done();
    await eventually(async () => await isFree(cell), { withinMs: 2_000 });
  } catch (error) {
    return String(error);
  } finally {
    await cell.own.close({ timeoutMs: 1_000 });
  }
  return allWrongEnds([told])[0];
}

async function clientsFor(scene: Scene, name: string, other: Client): Promise<Clients> {
  const proxy = scene.isCut === true ? await startProxy({ target: redisUrl() }) : undefined;
  const own = createClient({ redis: proxy?.url ?? redisUrl(), stalledAfterMs: 20 });
  own.on('error', () => {});
  // The waits of a scene have their time for themselves.
  await own.getLock(name).isLocked();
  return { own, other, cut: () => proxy?.cutAll() };
}

async function played(kind: Kind, scene: Scene, [what, act]: Act, name: string, other: Client) {
  await kind.create(other, name);
  const cell = new Cell(kind, name, act, await clientsFor(scene, `${name}-first`, other));
  const wrong = await wrongIn(scene, cell);
  if (cell.keptOut > 0) {
    await ask().del(name);
  }
  return wrong === undefined ? [] : [`${scene.title}, and the listener ${what}: ${wrong}`];
}

function actsIn(scene: Scene): Act[] {
  return Object.entries(ACTS).filter(([what]) => what !== 'throws' || scene.isOfSignal !== true);
}

describe.each(kinds)('$what', (kind) => {
  const { client, name } = fixtureOf('listeners', kind);

  test('whatever a listener does, nobody holds it in the end', async () => {
    const other = client();
    const scenes = SCENES.filter((scene) => scene.kinds?.includes(kind) ?? true);

    const cells = scenes.flatMap((scene) => actsIn(scene).map((act) => ({ scene, act })));

    const wrong: string[] = [];
    for (let i = 0; i < cells.length; i += AT_ONCE) {
      const found = cells
        .slice(i, i + AT_ONCE)
        .map(async ({ scene, act }) => await played(kind, scene, act, name(), other));
      wrong.push(...(await Promise.all(found)).flat());
    }

    expect(wrong).toEqual([]);
  });
});

describe.each(lockKinds)('$what', (kind) => {
  const { client, name } = fixtureOf('listeners', kind);

  test('a listener of `released` in the scope of the hold finds that hold over, and acquires afresh', async () => {
    const own = client();
    const lock = kind.create(own, name());
    const after: Promise<Hold>[] = [];
    const listen = (): void => {
      own.once('released', () => after.push(lock.acquire({ waitMs: 2_000 })));
    };

    const hold = await lock.acquire();
    await hold.run(listen);
    await hold.release();
    const [next] = await Promise.all(after);

    expect(next?.state).toBe('held');
    expect(next?.holderId).not.toBe(hold.holderId);
    await next?.release();
  });
});

describe('count-down latch', () => {
  const { client, name } = fixture('listeners');
  const latchActs: Record<
    string,
    (own: Client, latch: CountDownLatch, end: () => void) => unknown
  > = {
    'aborts every waiter': (_own, _latch, end) => end(),
    'closes the client': async (own) => await own.close(),
    waits: async (_own, latch) => await latch.wait({ waitMs: 1 }),
    'counts down': async (_own, latch) => await latch.countDown(),
    deletes: async (_own, latch) => await latch.delete(),
    throws: () => {
      throw new Error('thrown by a listener');
    },
  };

  test.each(Object.entries(latchActs))('of which a listener %s', async (_, act) => {
    const own = client({ stalledAfterMs: 20 });
    own.on('error', () => {});
    const latch = own.getCountDownLatch(name());
    const others = client().getCountDownLatch(latch.name);
    await others.trySetCount(1);
    const [end, isTold] = [new AbortController(), gate()];
    const work: Promise<unknown>[] = [];
    own.once('stalled', () => {
      isTold.open();
      const done = act(own, latch, () => end.abort());
      work.push(Promise.resolve(done).catch(() => {}));
    });

    const waits = [1, 2, 3].map(async () => await latch.wait({ signal: end.signal }));
    const ended = Promise.allSettled(waits);
    await isTold.opened;
    await others.countDown();

    await ended;
    await Promise.allSettled(work);
    expect(await others.count()).toBe(0);
  });
});
