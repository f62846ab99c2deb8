// @ts-check
// Acquires holds of every kind, loses some, keeps others in every way that there is, and says of which a warning spoke.
//
//   node leaks.mjs URL LEASE_MS PREFIX [URLS (JSON, of a quorum)]

import { AsyncResource } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient, createQuorumClient } from '../../../dist/index.js';

setFlagsFromString('--expose-gc');
const collect = /** @type {() => void} */ (runInNewContext('gc'));

const [, , redis = '', lease = '0', prefix = '', urls] = process.argv;
const leaseMs = Number(lease);

/** @type {string[]} */
const said = [];
process.on('warning', (warning) => {
  const { code } = /** @type {{ code?: string }} */ (warning);
  if (code === 'REDLATCH_LEAK') {
    said.push(`${warning.name} ${warning.message}`);
  }
});

/** @param {string} name */
const nameOf = (name) => `${prefix}-${name}`;
/** Two names of one slot, of which the first is spoken of first. @param {string} name */
const twoOf = (name) => [nameOf(name), `{${nameOf(name)}}:1`];
/** @param {string} name */
const about = (name) =>
  said.filter((text) =>
    [`"${nameOf(name)}"`, `"${nameOf(name)}, `].some((start) => text.includes(start)),
  );

/** Collects garbage until `isTrue`, for 10 s at most.
 * @param {() => boolean} isTrue */
async function collectUntil(isTrue) {
  const end = performance.now() + 10_000;
  while (!isTrue() && performance.now() < end) {
    await delay(30);
    collect();
  }
}

/** A client prints at most ten warnings a minute, so that each scene has its own.
 * @type {import('../../../dist/index.js').Client[]} */
const clients = [];
const client = () => {
  const one = createClient({ redis, leaseMs });
  clients.push(one);
  return one;
};

/** What is kept until the end. @type {unknown[]} */
const kept = [];
/** @type {Record<string, () => Promise<unknown>>} */
const lost = {
  lock: () => client().getLock(nameOf('lock')).acquire(),
  fair: () => client().getFairLock(nameOf('fair')).acquire(),
  fenced: () => client().getFencedLock(nameOf('fenced')).acquire(),
  read: () => client().getReadWriteLock(nameOf('read')).readLock.acquire(),
  write: () => client().getReadWriteLock(nameOf('write')).writeLock.acquire(),
  multi: () => client().getMultiLock(twoOf('multi')).acquire(),
  permit: () => client().getPermitExpirableSemaphore(nameOf('permit'), { permits: 1 }).acquire(),
  bounded: () =>
    client()
      .getLock(nameOf('bounded'))
      .acquire({ maxHoldMs: 100 * leaseMs }),
  /** The one before it in the queue of this client has released it. */
  async waited() {
    const lock = client().getLock(nameOf('waited'));
    const first = await lock.acquire();
    const second = lock.acquire();
    await first.release();
    await second;
  },
  /** Another client has released it. */
  async handed() {
    const first = await client().getLock(nameOf('handed')).acquire();
    const second = client().getLock(nameOf('handed')).acquire();
    await delay(50);
    await first.release();
    await second;
  },
  async queued() {
    const first = await client().getFairLock(nameOf('queued')).acquire();
    const second = client().getFairLock(nameOf('queued')).acquire();
    await delay(50);
    await first.release();
    await second;
  },
  async adopted() {
    const hold = await client().getLock(nameOf('adopted')).acquire();
    await client().adopt(await hold.detach());
  },
  /** Its scope is over. */
  async ran() {
    const hold = await client().getLock(nameOf('ran')).acquire();
    await hold.run(() => delay(1));
  },
  async ranMulti() {
    const hold = await client().getMultiLock(twoOf('ranMulti')).acquire();
    await hold.run(() => delay(1));
  },
  async ranLate() {
    const hold = await client().getLock(nameOf('ranLate')).acquire();
    await delay(leaseMs / 2);
    await hold.run(() => delay(1));
  },
  async ranLateMulti() {
    const hold = await client().getMultiLock(twoOf('ranLateMulti')).acquire();
    await delay(leaseMs / 2);
    await hold.run(() => delay(1));
  },
  async logged() {
    const permits = client().getPermitExpirableSemaphore(nameOf('logged'), { permits: 1 });
    inspect(await permits.acquire());
  },
  /** The hold that it has re-entered is there yet. */
  async inner() {
    const lock = client().getLock(nameOf('inner'));
    const outer = await lock.acquire();
    kept.push(outer);
    await lock.acquire({ within: outer });
  },
  async outer() {
    const lock = client().getLock(nameOf('outer'));
    kept.push(await lock.acquire({ within: await lock.acquire() }));
  },
  async unheard() {
    const hold = await client().getLock(nameOf('unheard')).acquire();
    hold.onContended(() => {})();
  },
};

/** What is given up at last. @type {(() => void)[]} */
const end = [];
/** @type {Record<string, () => Promise<unknown>>} */
const silent = {
  async signal() {
    const hold = await client().getLock(nameOf('signal')).acquire();
    kept.push(hold.signal);
  },
  async any() {
    const hold = await client().getLock(nameOf('any')).acquire();
    kept.push(AbortSignal.any([hold.signal]));
  },
  async using() {
    const running = client()
      .getLock(nameOf('using'))
      .using(() => new Promise((resolve) => end.push(() => resolve(undefined))));
    kept.push(running);
    await delay(1);
  },
  async id() {
    const permit = await client()
      .getPermitExpirableSemaphore(nameOf('id'), { permits: 1 })
      .acquire();
    kept.push(permit.id);
  },
  async json() {
    const permits = client().getPermitExpirableSemaphore(nameOf('json'), { permits: 1 });
    kept.push(JSON.stringify(await permits.acquire()));
  },
  /** Nothing can end these tasks, nor does anything refer to them. */
  async forEver() {
    void client()
      .getLock(nameOf('forEver'))
      .using(() => new Promise(() => {}));
    void client()
      .getPermitExpirableSemaphore(nameOf('forEver2'), { permits: 1 })
      .using(() => new Promise(() => {}));
    await delay(1);
  },
  async released() {
    const hold = await client().getLock(nameOf('released')).acquire();
    await delay(leaseMs / 2);
    await hold.release();
  },
  async forced() {
    const lock = client().getLock(nameOf('forced'));
    await lock.acquire();
    await lock.forceRelease();
  },
  async detached() {
    const hold = await client().getLock(nameOf('detached')).acquire();
    await hold.detach({ leaseMs: 60_000 });
  },
  fixed: () => client().getLock(nameOf('fixed')).acquire({ leaseMs: 60_000 }),
};

/** What is kept, and given up after it was seen that nothing is said of it: then it is. @type {Map<string, object>} */
const later = new Map();
let takeBack = () => {};
/** @type {Record<string, () => Promise<unknown>>} */
const givenUp = {
  async kept() {
    later.set('kept', await client().getLock(nameOf('kept')).acquire());
  },
  async keptMulti() {
    const lock = client().getMultiLock(twoOf('keptMulti'));
    later.set('keptMulti', await lock.acquire());
  },
  async listener() {
    const hold = await client().getLock(nameOf('listener')).acquire();
    takeBack = hold.onContended(() => {});
    later.set('listener', {});
  },
  /** Work that was begun in the scope goes on behind its task. */
  async scope() {
    const hold = await client().getLock(nameOf('scope')).acquire();
    await hold.run(() => void later.set('scope', new AsyncResource('lasting')));
  },
};

const quorum =
  urls === undefined
    ? undefined
    : createQuorumClient({
        servers: /** @type {string[]} */ (JSON.parse(urls)),
        leaseMs,
        serverTimeoutMs: leaseMs,
      });
if (quorum !== undefined) {
  lost['quorum'] = () => quorum.getLock(nameOf('quorum')).acquire();
  lost['ranQuorum'] = async () => {
    const hold = await quorum.getMultiLock(twoOf('ranQuorum')).acquire();
    await hold.run(() => delay(1));
  };
  lost['ranLateQuorum'] = async () => {
    const hold = await quorum.getMultiLock(twoOf('ranLateQuorum')).acquire();
    await delay(leaseMs / 2);
    await hold.run(() => delay(1));
  };
  givenUp['keptQuorum'] = async () => {
    later.set('keptQuorum', await quorum.getLock(nameOf('keptQuorum')).acquire());
  };
}

const scenes =
  urls === undefined
    ? [lost['lock']]
    : [lost, silent, givenUp].flatMap((each) => Object.values(each));
const startedAt = performance.now();
await Promise.all(
  scenes.map(async (scene) => {
    await scene?.();
  }),
);
const acquiredMs = performance.now() - startedAt;

const expected = urls === undefined ? ['lock'] : Object.keys(lost);
await collectUntil(() => expected.every((name) => about(name).length > 0));
// One more renewal, after which each of the others could have been lost as well.
const until = performance.now() + leaseMs / 2;
await collectUntil(() => performance.now() > until);
process.send?.({ type: 'lost', names: expected, said: [...said], acquiredMs });

takeBack();
const last = [...later.keys()];
later.clear();
await collectUntil(() => last.every((name) => about(name).length > 0));
process.send?.({
  type: 'given up',
  names: last,
  said: [...said],
  tookMs: performance.now() - startedAt,
});
await new Promise((resolve) => process.once('message', resolve));

end.forEach((resolve) => resolve());
await Promise.all(
  [...clients, ...(quorum === undefined ? [] : [quorum])].map((one) => one.close()),
);
await collectUntil(() => true);
process.send?.({ type: 'closed', said: said.length, kept: kept.length });
process.disconnect();
