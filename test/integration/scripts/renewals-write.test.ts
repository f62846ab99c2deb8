// A renewal writes also where it lengthens nothing: WAIT proves what its connection has written before. A
// script that only reads would have the answer of WAIT from Redis 7.2 on, whatever the replicas have.

import { expect, test } from 'vitest';
import { field } from '../../../scripts/redis/wire.mjs';
import { prefixed } from '../../support/kinds/connection.js';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import type { Operand } from '../../../src/core/wire/script.js';
import { keysUnder, rawClient } from '../../support/redis.js';
import { testScope } from '../../support/scope.js';
import { ownServer } from '../../support/server.js';

const scope = testScope('renewals-write');
const server = await ownServer();
const redis = rawClient(server.url);
const LEASE_MS = 60_000;

interface Renewal {
  readonly script: { readonly source: string };
  readonly operands: Operand[];
}

async function changes(): Promise<number> {
  return Number(field(await redis.info('persistence'), 'rdb_changes_since_last_save'));
}

/** What lives until when: keys by their TTL, members by their scores. */
async function ends(name: string): Promise<{ ttls: number[]; members: unknown[] }> {
  const [ttls, members]: [number[], unknown[]] = [[], []];
  for (const key of await keysUnder(name, redis)) {
    // The record of leases is kept for 30 days from the last one.
    ttls.push(key.startsWith('redlatch_leases') ? -1 : await redis.pttl(key));
    if ((await redis.type(key)) === 'zset') {
      members.push(await redis.call('ZRANGE', key, '0', '-1', 'WITHSCORES'));
    }
  }
  return { ttls, members };
}

/** The answer, and how much was written. */
async function renew({ script, operands }: Renewal): Promise<{ answer: unknown; written: number }> {
  const before = await changes();
  const [keys, ...rest] = operands;
  const answer = await redis.eval(script.source, Number(keys), ...rest);
  return { answer, written: (await changes()) - before };
}

const kinds: [string, (name: string) => Promise<Renewal>][] = [
  [
    'a lock',
    async (name) => {
      const client = scope.client({ redis: server.url });
      const { holderId } = await client.getLock(name).acquire({ leaseMs: LEASE_MS });
      const operands = scripts.lockRenew.operands({ locks: [name] }, { claims: [holderId, '1'] });
      return { script: scripts.lockRenew, operands };
    },
  ],
  [
    'a reader',
    async (name) => {
      const client = scope.client({ redis: server.url });
      const { readLock } = client.getReadWriteLock(name);
      const { holderId } = await readLock.acquire({ leaseMs: LEASE_MS });
      const hold = (await keysUnder(name, redis)).find((key) => key.endsWith(':1')) ?? '';
      const ofClaims = [name, prefixed('redlatch_readers', name), hold];
      const claims = [holderId, '1', '1'];
      const script = scripts.rwlockRenewRead;
      return { script, operands: script.operands({ ofClaims }, { claims }) };
    },
  ],
  ...[{}, { ttlMs: 600_000 }].map((life): [string, (name: string) => Promise<Renewal>] => [
    `a permit of a semaphore with ${JSON.stringify(life)}`,
    async (name) => {
      const client = scope.client({ redis: server.url });
      const permits = client.getPermitExpirableSemaphore(name);
      await permits.trySetPermits(1, life);
      const { id } = await permits.acquire({ leaseMs: LEASE_MS });
      const keys = [name, `{${name}}:timeout`, prefixed('redlatch_leases', name)];
      const claims = [Buffer.concat([Buffer.from(id, 'hex'), Buffer.from('1')])];
      const script = scripts.expirableSemaphoreRenew;
      return { script, operands: script.operands({ keys }, { claims }) };
    },
  ]),
];

test.each(kinds)('that of %s by a shorter time', async (_, acquire) => {
  const name = scope.name();
  const renewal = await acquire(name);
  const before = await ends(name);

  const { answer, written } = await renew(renewal);

  expect(String(answer)).toMatch(/^1/u);
  expect(written).toBeGreaterThan(0);
  const after = await ends(name);
  expect(after.members).toEqual(before.members);
  after.ttls.forEach((ttl, i) => {
    expect(ttl).toBeLessThanOrEqual(before.ttls[i] ?? 0);
    expect(ttl === -1 || ttl > LEASE_MS / 2).toBe(true);
  });
});

test('that of a permit whose record was deleted, which is made again', async () => {
  const name = scope.name();
  const [, acquire] = kinds.at(-2) ?? [];
  const renewal = await acquire?.(name);
  await redis.del(prefixed('redlatch_leases', name));

  const { answer, written } = await renew(renewal as Renewal);

  expect([answer, written > 0]).toEqual(['1', true]);
  const [first, ...permits] = await redis.zrange(prefixed('redlatch_leases', name), '0', '-1');
  expect([first, permits.length]).toEqual(['total', 1]);
});
