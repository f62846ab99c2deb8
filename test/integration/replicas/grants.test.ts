// A grant that wants replicas is told of when they have it, and else undone or kept.

import { describe, expect, test } from 'vitest';
import { ReplicasError } from '../../../src/index.js';
import { rejection } from '../../contract/fixture.js';
import { allLasting, leasedKinds } from '../../support/kinds/kinds.js';
import { keysUnder, rawClient } from '../../support/redis.js';
import { replicated } from '../../support/replicated.js';
import { expectNoResidue, RECORDS_OF_LINES } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('replicas');
const servers = await replicated();
const { url, raw } = servers;
const replica = rawClient(servers.replicas[0]?.url);
const replicas = { min: 1, timeoutMs: 5_000 };
const impatient = { min: 1, timeoutMs: 50 };

const isLasting = (key: string): boolean => allLasting.some((rule) => rule.test(key));

describe.each(leasedKinds)('$what', (kind) => {
  test('is granted when the replica has the grant', async () => {
    const name = scope.name();
    const object = await kind.create(scope.client({ redis: url, replicas }), name);

    const grant = await object.acquire();

    expect(await keysUnder(name, replica)).toEqual(await keysUnder(name, raw));
    await kind.expectIn(name, grant, url);
    await grant.release();
    expect(await kind.isFree(name, url)).toBe(true);
  });

  test('is released again when the replica is silent, and nobody was told of it', async () => {
    const name = scope.name();
    const client = scope.client({ redis: url });
    const events: string[] = [];
    client.on('acquired', () => events.push('acquired'));
    client.on('released', () => events.push('released'));
    const object = await kind.create(client, name);

    const error = await servers.frozen(
      async () => await rejection(object.acquire({ replicas: impatient })),
    );

    expect(error).toBeInstanceOf(ReplicasError);
    expect(error).toMatchObject({
      name: 'ReplicasError',
      code: 'ERR_REPLICAS',
      resource: name,
      acknowledged: 0,
      min: 1,
    });
    const next = await object.acquire();
    await next.release();
    expect(await kind.isFree(name, url)).toBe(true);
    expect(events).toEqual(['acquired', 'released']);
    await client.close();
    await raw.del('', ...(await keysUnder(name, raw)).filter(isLasting));
    await expectNoResidue(name, { client: raw, allow: [RECORDS_OF_LINES] });
  });

  test('is kept when the caller wants that, and the client is told how many there are', async () => {
    const name = scope.name();
    const client = scope.client({ redis: url, replicas });
    const events: unknown[] = [];
    client.on('acquired', (event) => events.push(event));
    client.on('replicas', (event) => events.push(event));
    const object = await kind.create(client, name);

    const grant = await servers.frozen(
      async () => await object.acquire({ replicas: { ...impatient, onShortfall: 'keep' } }),
    );

    expect(grant.isHeld).toBe(true);
    await kind.expectIn(name, grant, url);
    const holderId = kind.idOf(grant);
    const about = { resource: name, kind: kind.id, holderId };
    expect(events).toEqual([
      { ...about, waitedMs: expect.any(Number) as number },
      { ...about, acknowledged: 0, min: 1 },
    ]);
    await grant.release();
  });
});
