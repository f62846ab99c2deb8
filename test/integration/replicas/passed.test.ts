// A lock that comes to its next holder by a release: what others have written before counts as well.

import { afterEach, describe, expect, test } from 'vitest';
import type { Hold } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { exclusiveLocks } from '../../support/kinds/kinds.js';
import { rawClient } from '../../support/redis.js';
import { replicated } from '../../support/replicated.js';
import { testScope } from '../../support/scope.js';
import { toldOf } from '../../support/told.js';

const scope = testScope('replicas-passed');
const servers = await replicated();
const { url, raw, frozen } = servers;
const replica = rawClient(servers.replicas[0]?.url);
const replicas = { min: 1, timeoutMs: 20_000 };

afterEach(async () => {
  // The next test freezes a replica that has caught up.
  await eventually(async () => {
    await raw.set(scope.prefix, '1', 'PX', 1_000);
    return Number(await raw.call('WAIT', 1, 100)) === 1;
  });
});

describe.each(exclusiveLocks)('$what', (kind) => {
  test.each(['another client', 'its own client'])(
    'that %s releases is told of when the replica has the release and the grant',
    async (whose) => {
      const name = scope.name();
      const client = scope.client({ redis: url });
      const own = kind.get(client, name);
      const isOwn = whose === 'its own client';
      const first = isOwn ? own : kind.get(scope.client({ redis: url }), name);
      // Its connection for replicas is there, and has written something that they have.
      const before = await kind.get(client, scope.name()).acquire({ replicas });
      await before.release();
      const hold = await first.acquire();
      const granted: Hold[] = [];
      const waiting = own.acquire({ replicas });
      void waiting.then((next) => granted.push(next));
      // While a client has the lock, none of its waiters stands in the line of the server.
      await eventually(async () => isOwn || (await toldOf(name, raw)) > 0);

      await frozen(async () => {
        await hold.release();
        await eventually(async () => {
          const fields = Object.keys(await raw.hgetall(name));
          return fields.length > 0 && !fields.includes(kind.field(hold.holderId));
        });
        // A command of the same client takes longer than a WAIT that is answered at once.
        await own.isLocked();
        await own.isLocked();

        expect(granted).toEqual([]);
      });
      const next = await waiting;

      expect(await replica.hexists(name, kind.field(next.holderId))).toBe(1);
      await next.release();
    },
  );
});
