// Every object that both sides have: how either side keeps others out of it, waits for it, leaves it.

import type { Redis } from 'ioredis';
import type { Client, WaitOptions } from '../../../src/index.js';
import { keysUnder } from '../../support/redis.js';
import type { JavaThread } from '../support/java.js';

/** Gives back what was got; Java has an asynchronous method for it too. */
export type Leave = (form?: 'sync' | 'async') => Promise<unknown>;

/** Gets in, or waits until it does. */
export type Enter<Party> = (party: Party, name: string) => Promise<Leave>;

/** Methods by name that get in. */
export type Methods<Party> = Readonly<Record<string, Enter<Party>>>;

/** Somebody is in, and somebody of the other side waits. */
export interface Kind {
  readonly what: string;
  /** What is published when the holder leaves. */
  readonly message: string;
  /** What the server sees of one who gets in: for a latch he only reads the count. */
  readonly entry: 'enters' | 'asks';
  readonly javaHolds: Enter<JavaThread>;
  readonly javaWaits: Methods<JavaThread>;
  readonly nodeHolds: Enter<Client>;
  readonly nodeWaits: Methods<Client>;
  /** Opens it for whoever waits, and tells nobody. */
  freeSilently(raw: Redis, name: string): Promise<unknown>;
}

/** Whether Node's waiters stand in a line of ours: those ask at other times than Java's. */
export function isLined({ what }: Pick<Kind, 'what'>): boolean {
  return /^(?:lock|fenced lock|fair lock|write lock)/.test(what);
}

/** Renewed, and far longer than a test may last: who waits for its end is not in by then. */
export const LONG_LEASE_MS = 300_000;

/** Nobody runs out of time within a test. */
const PATIENCE_MS = 120_000;

type JavaLeave = (
  thread: JavaThread,
  name: string,
  how: { answer: unknown; isAsync: boolean },
) => Promise<unknown>;

/** The synchronous and asynchronous methods of an object, without and with a limit. */
function javaMethods(
  object: string,
  [waiting, limited]: readonly [string, string],
  leave: JavaLeave,
): Methods<JavaThread> {
  const enters =
    (method: string, args: Readonly<Record<string, unknown>>): Enter<JavaThread> =>
    async (thread, name) => {
      const answer = await thread.call<unknown>(`${object}.${method}`, name, args);
      if (answer === false || answer === 'null') {
        throw new Error(`${object}.${method} ended without "${name}"`);
      }
      return async (form) => await leave(thread, name, { answer, isAsync: form === 'async' });
    };
  const waitMs = PATIENCE_MS;
  return {
    [`${waiting}()`]: enters(waiting, {}),
    [`${waiting}Async()`]: enters(waiting, { async: true }),
    [`${limited}(wait)`]: enters(limited, { waitMs }),
    [`${limited}Async(wait)`]: enters(limited, { waitMs, async: true }),
  };
}

function javaLock(
  object: string,
  methods: readonly [string, string] = ['lock', 'tryLock'],
): Methods<JavaThread> {
  return javaMethods(object, methods, async (thread, name, { isAsync }) => {
    await thread.call(`${object}.unlock`, name, { async: isAsync });
  });
}

const javaSemaphore = javaMethods(
  'semaphore',
  ['acquire', 'tryAcquire'],
  async (thread, name, { isAsync }) => {
    await thread.call('semaphore.release', name, { async: isAsync });
  },
);

const javaPermits = javaMethods(
  'permits',
  ['acquire', 'tryAcquire'],
  async (thread, name, { answer, isAsync }) => {
    await thread.call('permits.release', name, { permit: answer, async: isAsync });
  },
);

/** Whatever Node gets in by `acquire()`. */
interface Entrance {
  acquire(): Promise<{ release: () => Promise<void> }>;
  tryAcquire(options: { waitMs: number }): Promise<{ release: () => Promise<void> } | null>;
}

type ToEntrance = (client: Client, name: string) => Entrance;

function nodeMethods(entrance: ToEntrance): Methods<Client> {
  return {
    'acquire()': async (client, name) => {
      const grant = await entrance(client, name).acquire();
      return async () => await grant.release();
    },
    'tryAcquire({ waitMs })': async (client, name) => {
      const grant = await entrance(client, name).tryAcquire({ waitMs: PATIENCE_MS });
      if (grant === null) {
        throw new Error(`tryAcquire ended without "${name}"`);
      }
      return async () => await grant.release();
    },
  };
}

interface Side {
  readonly java: Methods<JavaThread>;
  readonly node: Methods<Client>;
}

const lock: Side = {
  java: javaLock('lock'),
  node: nodeMethods((client, name) => client.getLock(name)),
};
const fair: Side = {
  java: javaLock('fair'),
  node: nodeMethods((client, name) => client.getFairLock(name)),
};
const fenced: Side = {
  java: {
    ...javaLock('fenced'),
    ...javaLock('fenced', ['lockAndGetToken', 'tryLockAndGetToken']),
  },
  node: nodeMethods((client, name) => client.getFencedLock(name)),
};
const reader: Side = {
  java: javaLock('read'),
  node: nodeMethods((client, name) => client.getReadWriteLock(name).readLock),
};
const writer: Side = {
  java: javaLock('write'),
  node: nodeMethods((client, name) => client.getReadWriteLock(name).writeLock),
};
const semaphore: Side = {
  java: javaSemaphore,
  node: nodeMethods((client, name) => ({
    acquire: async () => await client.getSemaphore(name).acquire(),
    tryAcquire: async (options) => await client.getSemaphore(name).tryAcquire(1, options),
  })),
};
const permits: Side = {
  java: javaPermits,
  node: nodeMethods((client, name) => client.getPermitExpirableSemaphore(name)),
};

export function firstOf<Party>(methods: Methods<Party>): Enter<Party> {
  return Object.values(methods)[0] as Enter<Party>;
}

function kind(what: string, message: string, holder: Side, waiter: Side = holder): Kind {
  return {
    what,
    message,
    entry: 'enters',
    javaHolds: firstOf(holder.java),
    javaWaits: waiter.java,
    nodeHolds: firstOf(holder.node),
    nodeWaits: waiter.node,
    freeSilently: async (raw, name) => {
      const own = await keysUnder(`{${name}}:`, raw);
      await raw.del(name, ...own.filter((key) => key.includes(':rwlock_timeout:')));
    },
  };
}

/** Of one permit, which the holder has. */
function semaphoreKind(
  what: string,
  sides: Side,
  set: { java: string; node: (client: Client, name: string) => Promise<unknown> },
): Kind {
  const taken = kind(what, '1', sides);
  return {
    ...taken,
    javaHolds: async (thread, name) => {
      await thread.call(set.java, name, { permits: 1 });
      return await taken.javaHolds(thread, name);
    },
    nodeHolds: async (client, name) => {
      await set.node(client, name);
      return await taken.nodeHolds(client, name);
    },
    freeSilently: async (raw, name) =>
      await raw.multi().set(name, 1).del(`{${name}}:timeout`).exec(),
  };
}

/** Of a count of one: who holds it has yet to count down. */
const latch: Kind = {
  what: 'latch',
  message: '0',
  entry: 'asks',
  javaHolds: async (thread, name) => {
    await thread.call('latch.trySetCount', name, { count: 1 });
    return async (form) => await thread.call('latch.countDown', name, { async: form === 'async' });
  },
  javaWaits: javaMethods('latch', ['await', 'await'], async () => {}),
  nodeHolds: async (client, name) => {
    await client.getCountDownLatch(name).trySetCount(1);
    return async () => await client.getCountDownLatch(name).countDown();
  },
  nodeWaits: {
    'wait()': async (client, name) => await waited(client, name, {}),
    'wait({ waitMs })': async (client, name) => await waited(client, name, { waitMs: PATIENCE_MS }),
  },
  freeSilently: async (raw, name) => await raw.del(name),
};

async function waited(client: Client, name: string, options: WaitOptions): Promise<Leave> {
  if (!(await client.getCountDownLatch(name).wait(options))) {
    throw new Error(`wait ended before "${name}" opened`);
  }
  return async () => {};
}

export const kinds: readonly Kind[] = [
  kind('lock', '0', lock),
  kind('fair lock', '0', fair),
  kind('fenced lock', '0', fenced),
  kind('read lock behind a writer', '1', writer, reader),
  kind('write lock behind a writer', '1', writer),
  kind('write lock behind a reader', '0', reader, writer),
  semaphoreKind('semaphore', semaphore, {
    java: 'semaphore.trySetPermits',
    node: async (client, name) => await client.getSemaphore(name).trySetPermits(1),
  }),
  semaphoreKind('permit-expirable semaphore', permits, {
    java: 'permits.trySetPermits',
    node: async (client, name) => await client.getPermitExpirableSemaphore(name).trySetPermits(1),
  }),
  latch,
];

/** @throws when there is none that is called so */
export function kindNamed(what: string): Kind {
  const found = kinds.find((each) => each.what === what);
  if (found === undefined) {
    throw new Error(`no kind is called "${what}"`);
  }
  return found;
}

/** For `describe.each`: what each kind is called, and the kind. */
export const titledKinds: readonly [string, Kind][] = kinds.map((each) => [each.what, each]);
