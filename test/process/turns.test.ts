// Three processes that ask for one lock all the time get their turns, whatever the lock, however it is handed on,
// and whether or not the server sees them listen.

import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { heard, startCrowd, tell } from './crowd.js';

const PROCESSES = 3;
const KINDS = ['lock', 'fenced-lock', 'fair-lock', 'write-lock', 'multi-lock'];
const server = await ownServer();
const raw = rawClient(server.url);

/** `turns`: those of a client that is not notified take a quarter of a second each. */
const ways = [
  { way: 'direct', handOff: 'direct', rights: ['&*'], turns: 150 },
  { way: 'strict', handOff: 'strict', rights: ['&*'], turns: 150 },
  { way: 'unseen', handOff: 'direct', rights: ['&*', '-pubsub'], turns: 60 },
  { way: 'without messages', handOff: 'direct', rights: ['&redisson*'], turns: 18 },
] as const;

describe.concurrent.each(ways)('with clients that are $way', ({ way, handOff, rights, turns }) => {
  test('each process gets at least half of its share of every lock', async () => {
    const user = way.replaceAll(' ', '-');
    const access = ['reset', 'resetchannels', 'on', '>secret', '~*', '+@all'];
    await raw.call('ACL', 'SETUSER', user, ...access, ...rights);
    const url = `redis://${user}:secret@${server.host}:${server.port}`;
    const name = randomName('turns');
    const crowd = await startCrowd('turns', PROCESSES, (id) => [url, handOff, id]);

    tell(crowd, { type: 'go', name });
    const made = await Promise.all(
      KINDS.map(async (kind) => {
        const key = `${name}-${kind}:turns`;
        await eventually(
          async () => expect(await raw.llen(key), kind).toBeGreaterThanOrEqual(turns),
          { withinMs: 40_000 },
        );
        return await raw.lrange(key, 0, turns - 1);
      }),
    );
    tell(crowd, { type: 'stop' });
    await heard(crowd, 'done', { withinMs: 20_000 });
    await Promise.all(crowd.map(async (worker) => await worker.kill()));

    for (const [i, kind] of KINDS.entries()) {
      const counts = crowd.map((_, id) => made[i]!.filter((turn) => turn === String(id)).length);
      expect(Math.min(...counts), `${kind}: ${counts.join()}`).toBeGreaterThanOrEqual(
        turns / PROCESSES / 2,
      );
    }
  }, 90_000);
});
