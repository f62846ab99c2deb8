// Many waiters of one client that give up together: what that costs, and what it leaves.

import { expect, test } from 'vitest';
import { createClient, type AcquireOptions, type Client } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import type { Kind } from '../../support/kinds/kind.js';
import { kinds, leasedKinds } from '../../support/kinds/kinds.js';
import { fairLock, readLock, writeLock } from '../../support/kinds/locks.js';
import { keysUnder, randomName, rawClient } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { countedTraffic, quiet } from '../../support/traffic.js';

const WAITERS = 1_000;
/** All that is sent for them. A hundred entries leave the queue of a fair lock with one command. */
const COMMANDS_MAX = 60;
/** The same for those that run out of time, which they do in as many milliseconds as they began in: 300 on a busy
 * machine. */
const COMMANDS_IN_TURNS_MAX = WAITERS / 2;
const server = await ownServer();
const raw = rawClient(server.url);

interface Ending {
  readonly terms: AcquireOptions;
  /** Ends all waits, where time does not. */
  readonly end?: (client: Client) => unknown;
}

const endings: Readonly<Record<string, () => Ending>> = {
  'are aborted': () => {
    const controller = new AbortController();
    return {
      terms: { signal: controller.signal },
      end: () => {
        controller.abort();
      },
    };
  },
  'run out of time': () => ({ terms: { waitMs: 1_500 } }),
  'are closed': () => ({ terms: {}, end: async (client) => await client.close() }),
};

/** The leases that the waiters want in turn: undefined is that of the client. */
const leases = { 'the same lease': [undefined], 'different leases': [undefined, 30_000] } as const;

function cell(kind: Kind, ending: string, wanted: keyof typeof leases) {
  return { what: kind.what, terms: wanted, ending, kind, leases: leases[wanted] };
}

const leased: readonly Kind[] = leasedKinds;
const cells = kinds.flatMap((kind) =>
  Object.keys(endings).map((ending) =>
    cell(kind, ending, leased.includes(kind) ? 'different leases' : 'the same lease'),
  ),
);
cells.push(...leased.map((kind) => cell(kind, 'are aborted', 'the same lease')));

/** Records of counted calls, one a client, and the tombstone of an ask that is not answered yet. */
const records = /^redlatch_(?:requests|cancelled):/u;

test.concurrent.for(cells)(
  'a thousand waiters for a $what with $terms that $ending together cost a few commands, and leave next to nothing',
  async ({ kind, ending, leases: wanted }) => {
    const name = randomName('together');
    await using holder = createClient({ redis: server.url });
    await kind.create(holder, name);
    const hold = await kind.rival(holder, name).acquire();
    const keys = await keysUnder(name, raw);
    const traffic = await countedTraffic(server.url);
    await using client = createClient({ redis: traffic.url });
    const object = kind.get(client, name);
    await client.getLock(randomName('connected')).isLocked();
    const { terms, end } = endings[ending]!();
    const waits = Array.from({ length: WAITERS }, async (_, i) => {
      const leaseMs = wanted[i % wanted.length];
      const lease = leaseMs === undefined ? {} : { leaseMs };
      await expect(object.acquire({ ...terms, ...lease })).rejects.toThrow();
    });
    let sent = 0;
    if (end !== undefined) {
      await quiet(traffic, client);
      sent = traffic.scripts();
      await end(client);
    }
    await Promise.all(waits);
    await client.close();

    // Each waiter of a fair lock has an entry; readers that come together each ask once.
    const entries = kind === fairLock || kind === readLock ? WAITERS : 0;
    expect(traffic.scripts() - entries).toBeLessThanOrEqual(
      end === undefined ? COMMANDS_IN_TURNS_MAX : COMMANDS_MAX,
    );
    if (end !== undefined && kind !== fairLock) {
      const names = traffic.scriptNames().slice(sent);
      // The look that is due every two seconds, for each lease, may have been on its way.
      const looks = names.filter(
        (each) => each === 'lock/recheck' || each === kind.scripts.acquire.name,
      );
      expect(looks.length, names.join(', ')).toBeLessThanOrEqual(wanted.length);
      expect(names.length - looks.length, names.join(', ')).toBeLessThanOrEqual(2);
    }
    // What stays is that of the holder, or was there before.
    const left = (await keysUnder(name, raw)).filter((key) => !keys.includes(key));
    expect(left.filter((key) => !records.test(key))).toEqual([]);
    expect(left.length).toBeLessThanOrEqual(1);
    await hold.release();
  },
);

const asked = [{ ...readLock, channel: writeLock.channel }];

test.concurrent.for(asked)(
  'a thousand waiters for a $what that are aborted while they are asked for cost a few commands',
  async (kind) => {
    const name = randomName('together');
    await using holder = createClient({ redis: server.url });
    const hold = await kind.rival(holder, name).acquire();
    const keys = await keysUnder(name, raw);
    const traffic = await countedTraffic(server.url);
    await using client = createClient({ redis: traffic.url });
    const object = kind.get(client, name);
    const controller = new AbortController();
    await client.getLock(randomName('connected')).isLocked();
    const waits = Array.from({ length: WAITERS }, async () => {
      await expect(object.acquire({ signal: controller.signal })).rejects.toThrow();
    });
    await quiet(traffic, client);
    const sent = traffic.scripts();
    const { sha1 } = kind.scripts.acquire;
    const ask = traffic.proxy.holdRequests(([, script]) => script === sha1);
    await raw.publish(kind.channel(name), '0');
    await eventually(() => ask.held.length > 0);
    controller.abort();
    await Promise.all(waits);
    ask.release();
    await client.close();

    expect(traffic.scripts() - sent).toBeLessThanOrEqual(3);
    const left = (await keysUnder(name, raw)).filter((key) => !keys.includes(key));
    expect(left).toEqual([]);
    await hold.release();
  },
);
