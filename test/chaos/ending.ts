// The end of a seed: everybody who waits gets in, every number adds up, and nothing stays behind.

import type { Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { keysUnder } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { countOf } from './checks/permits.js';
import { checkLagging } from './failover.js';
import { now, type Disturbance } from './history.js';
import { START, type Scene } from './scene.js';
import { has } from './seeds.js';
import { wireOf } from './wire.js';

/** Leases, the time of the dead in a queue, a missed message: all of it is shorter. */
const PATIENCE_MS = 9_000;
const LONG_LEASE_MS = 20_000;

/** Private records that outlive their object on purpose, with a TTL. */
const RECORDS = [
  /^redlatch_(?:cancelled|requests|beats|opened|readers|writers|waiting|generation|permits|leases|line|tickets):/,
];

export const initialOf = (scene: Scene): ReadonlyMap<string, number> =>
  new Map([
    [scene.names.permits, START.permits],
    [scene.names.semaphore, START.semaphore],
    [scene.names.lagging, START.lagging],
    [scene.names.ledger, START.ledger],
    [scene.names.counter, START.counter],
  ]);

/** Waits for those who are still under way; says who is not. */
export async function awaitLanes(scene: Scene, lanes: Promise<unknown>): Promise<void> {
  const { history, recorder } = scene;
  if (scene.wasFlushed) {
    await restoreNumbers(scene);
  }
  const latch = scene.observer.getCountDownLatch(scene.names.gate);
  // Whoever waits for the latch without limit is let go, again if it was just being set.
  const open = async (): Promise<void> => {
    await recorder.run(recorder.begin('observer', 'observer', 'delete', latch.name), async () => {
      await latch.delete();
    });
  };
  const opening = setInterval(() => {
    void open();
    void freeForgotten(scene);
  }, 250);
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<'too late'>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'too late');
  });
  const what = await Promise.race([lanes.then(() => 'done'), tooLate]);
  clearTimeout(timer);
  clearInterval(opening);
  if (what === 'too late') {
    await tellHolders(scene);
    for (const call of history.calls.filter(({ until }) => until === undefined)) {
      const text = `${call.actor}: ${call.what} has not settled ${((now() - call.from) / 1_000).toFixed(1)} s after it began`;
      history.violated('nobody waits for ever', call.name, text);
    }
  }
}

/**
 * A flush also forgets who was given up: a late copy of such an acquisition is granted, and nobody has
 * the lock until its lease ends. That is documented, and longer than anybody is waited for here.
 */
async function freeForgotten({ forgotten, names, raw }: Scene): Promise<void> {
  for (const name of [names.lock, names.fair, names.fenced, names.rw]) {
    const fields = Object.keys(await raw.hgetall(name)).filter((field) => field !== 'mode');
    const ghosts = fields.filter((field) => forgotten.has(field.replace(/:write$/u, '')));
    if (ghosts.length > 0 && ghosts.length === fields.length) {
      await raw.del(name);
    } else if (ghosts.length > 0) {
      await raw.hdel(name, ...ghosts);
    }
    for (const ghost of ghosts) {
      const holdKeys = await keysUnder(`${ghost}:rwlock_timeout`, raw);
      await Promise.all(holdKeys.map(async (key) => await raw.del(key)));
    }
  }
}

/**
 * A flush also forgets which calls have run: late copies may have taken permits once more, for which
 * others would wait, and some were added to no semaphore before it was set again.
 */
async function restoreNumbers(scene: Scene): Promise<void> {
  const { history, names, observer } = scene;
  const cause: Disturbance = {
    what: 'delete',
    name: names.permits,
    client: undefined,
    from: now(),
    until: Number.POSITIVE_INFINITY,
  };
  history.disturbances.push(cause);
  await observer.getSemaphore(names.semaphore).delete();
  await observer.getPermitExpirableSemaphore(names.permits).delete();
  cause.until = now();
  await scene.setNumbers();
}

/** Who has the locks, and what was sent for them: for a report. */
async function tellHolders({ history, names, raw, routes }: Scene): Promise<void> {
  for (const name of [names.lock, names.fair, names.fenced, names.rw]) {
    for (const field of Object.keys(await raw.hgetall(name)).filter((one) => one !== 'mode')) {
      const holder = field.split(':').slice(0, 2).join(':');
      const said = history.notes
        .filter(({ text }) => text.endsWith(`...${holder.slice(-8)}`))
        .map(({ at, who, text }) => `    ${(at - history.startedAt).toFixed(1)} ${who} ${text}`);
      const text = `${field} has it (ttl ${await raw.pttl(name)})`;
      history.violated(
        'nobody waits for ever',
        name,
        [text, ...said, ...wireOf(routes, holder)].join('\n'),
      );
    }
  }
}

/** Everybody gets in everywhere once more: no lock is held, and no permit is missing. */
export async function visitAll(scene: Scene): Promise<void> {
  const { history, names } = scene;
  if (scene.wasFlushed) {
    await freeForgotten(scene);
  }
  // Other seeds may still block this process: nothing is to be lost by that.
  const terms = { waitMs: PATIENCE_MS, leaseMs: LONG_LEASE_MS };
  const visit = async (
    name: string,
    who: string,
    enter: (inside: () => void) => Promise<unknown>,
  ): Promise<void> => {
    const seen = { inside: false };
    try {
      await enter(() => {
        seen.inside = true;
      });
    } catch (error) {
      // A release whose answer is late goes on behind.
      if (!seen.inside) {
        await tellHolders(scene);
        history.violated('nobody waits for ever', name, `${who} in the end: ${String(error)}`);
      }
    }
  };
  await settlePermits(scene);
  const visits = scene.members.flatMap(({ client, label }) => [
    visit(
      names.lock,
      label,
      async (inside) => await client.getLock(names.lock).using(inside, terms),
    ),
    visit(names.fair, label, async (inside) => {
      await client.getFairLock(names.fair).using(inside, terms);
    }),
    visit(names.fenced, label, async (inside) => {
      await client.getFencedLock(names.fenced).using(inside, terms);
    }),
    visit(names.rw, label, async (inside) => {
      const { readLock, writeLock } = client.getReadWriteLock(names.rw);
      await writeLock.using(async () => await readLock.using(inside, terms), terms);
    }),
    visit(names.permits, label, async (inside) => {
      const semaphore = client.getPermitExpirableSemaphore(names.permits);
      const permits = await semaphore.acquireMany(START.permits, terms);
      inside();
      await Promise.all(permits.map(async (permit) => await permit.release()));
    }),
    visit(names.semaphore, label, async (inside) => {
      const all = { waitMs: PATIENCE_MS, permits: START.semaphore };
      await client.getSemaphore(names.semaphore).using(inside, all);
    }),
  ]);
  await Promise.all(visits);
}

/** The permits that were added for a moment, and not taken away again, or the other way round. */
async function settlePermits({ observer, names }: Scene): Promise<void> {
  await observer.getPermitExpirableSemaphore(names.permits).setPermits(START.permits);
}

/** The numbers are what those calls make of them that were done, within what is unknown. */
export async function checkNumbers(scene: Scene): Promise<void> {
  const { history, names, observer, raw } = scene;
  const tell = (name: string, text: string): void =>
    history.violated('every call counts once', name, text);
  const regrown = Number(await raw.get(names.regrown));
  if (regrown > START.regrown) {
    tell(names.regrown, `${regrown} permits are left, and only ${START.regrown} were ever set`);
  }
  if (scene.wasFlushed) {
    return;
  }
  await checkLagging(scene);
  const values: readonly (readonly [name: string, value: () => Promise<number>])[] = [
    [names.ledger, async () => await observer.getSemaphore(names.ledger).availablePermits()],
    [names.counter, async () => await observer.getCountDownLatch(names.counter).count()],
    [names.semaphore, async () => await observer.getSemaphore(names.semaphore).availablePermits()],
  ];
  for (const [name, read] of values) {
    const count = countOf(history, name, initialOf(scene));
    const at = Number.MAX_VALUE;
    const [least, most] = [count.least(at), count.most(at)];
    const value = await read();
    if (value < least || value > most) {
      tell(name, `it is ${value}, and can only be ${least} to ${most}`);
    }
  }
}

/** Closes all clients: right after that nothing on the server belongs to one of them. */
export async function closeClients(scene: Scene): Promise<void> {
  const { history, raw, routes } = scene;
  const closing = async (client: Client, label: string): Promise<void> => {
    const call = scene.recorder.begin(label, label, 'close', '', 3_000);
    await client.close({ timeoutMs: 3_000 });
    scene.recorder.end(call, 'done');
  };
  await Promise.all(scene.members.map(async ({ client, label }) => await closing(client, label)));
  const present = new Set(scene.members.map(({ client }) => client.id));
  if (has('residue')) {
    for (const name of [scene.names.lock, scene.names.fair, scene.names.fenced, scene.names.rw]) {
      const fields = await raw.hgetall(name);
      for (const field of Object.keys(fields)) {
        if (present.has(field.split(':')[0]!)) {
          const ttl = await raw.pttl(name);
          const text = `${scene.ids.get(field.split(':')[0]!)} is closed, and holds it as ${field} (ttl ${ttl})`;
          const wire = wireOf(routes, field.split(':').slice(0, 2).join(':'));
          history.violated('nothing is left behind', name, [text, ...wire].join('\n'));
        }
      }
    }
  }
  const open = (): string[] =>
    routes.flatMap((route, place) =>
      route.connections().map((one) => {
        const state = [one.isOpen, one.reachesServer, one.up.swallows, one.down.swallows, one.id];
        return `c${place}, last ${one.commands.at(-1)?.slice(0, 2).join(' ')} (${state.join(' ')})`;
      }),
    );
  await eventually(() => open().length === 0, { withinMs: 2_000 }).catch(() => {
    history.violated('nothing is left behind', undefined, `still connected: ${open().join('; ')}`);
  });
}

/** A process that was killed while it waited is passed over: its entry stays until somebody looks at the
 * queue 4 s later, or the queue has had no entry for ten minutes. */
async function dropEntriesOfKilled({ killed, names, raw }: Scene): Promise<void> {
  const queue = `redisson_lock_queue:{${names.fair}}`;
  for (const entry of await raw.lrange(queue, 0, -1)) {
    if (killed.has(entry.split(':')[0]!)) {
      await raw.lrem(queue, 1, entry);
      await raw.zrem(`redisson_lock_timeout:{${names.fair}}`, entry);
    }
  }
}

/** Nothing stays on the server but numbers, counters and records that go by themselves. */
export async function checkResidue(scene: Scene): Promise<void> {
  const { history, names, prefix, raw } = scene;
  for (const name of [
    names.semaphore,
    names.regrown,
    names.lagging,
    names.ledger,
    names.permits,
    names.counter,
    names.gate,
    names.relay,
  ]) {
    await raw.del(name);
  }
  await raw.del(`{${names.permits}}:timeout`, `redisson_lock_token:{${names.fenced}}`);
  await dropEntriesOfKilled(scene);
  try {
    await expectNoResidue(prefix, { allow: RECORDS, client: raw, withinMs: 3_000 });
    await expectNoChannels(prefix, { client: raw });
  } catch (error) {
    history.violated('nothing is left behind', undefined, String(error));
  }
  const left = await keysUnder(prefix, raw);
  if (left.length > 0) {
    await raw.del(...left);
  }
}
