// What is told of a grant from its beginning to its end, and that its end harms nobody: the same
// for every kind of object.

import { describe, expect, test } from 'vitest';
import { LeaseLostError, type Client, type ClientEvents } from '../../../src/index.js';
import { fixture, fixtureOf, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { startProxy } from '../../support/proxy.js';
import { redisUrl } from '../../support/redis.js';
import type { Kind } from '../../support/kinds/kind.js';
import { allKinds, allLasting, leasedKinds } from '../../support/kinds/kinds.js';

const EVENTS = ['acquired', 'released', 'suspect', 'lost'] as const;

interface Told {
  readonly event: keyof ClientEvents;
  readonly resource: string;
  readonly kind: string;
  readonly holderId: string;
}

/** What a client tells about holds from now on, in order. */
function told(client: Client): Told[] {
  const events: Told[] = [];
  for (const event of EVENTS) {
    client.on(event, ({ resource, kind, holderId }: Omit<Told, 'event'>) => {
      events.push({ event, resource, kind, holderId });
    });
  }
  return events;
}

function names(events: readonly Told[]): string[] {
  return events.map(({ event }) => event);
}

/** All of them are about one grant of this object. */
function expectOneGrant(events: readonly Told[], kind: Kind, resource: string): void {
  const [first] = events;
  for (const each of events) {
    expect(each).toMatchObject({ resource, kind: kind.id, holderId: first?.holderId });
  }
}

describe.each(allKinds)('events: $what', (kind) => {
  const { client, name } = fixtureOf('lifecycle', kind);

  test('a grant is told as acquired and its release as released, once each', async () => {
    const [own, object] = [client(), name()];
    const one = await kind.create(own, object);
    const events = told(own);

    const grant = await one.acquire();
    await grant.release();
    await grant.release();
    await one.using(() => undefined);

    expect(names(events)).toEqual(['acquired', 'released', 'acquired', 'released']);
    expectOneGrant(events.slice(0, 2), kind, object);
    expectOneGrant(events.slice(2), kind, object);
    expect(events[2]?.holderId).not.toBe(events[0]?.holderId);
  });

  test('an await using block that throws gives its grant back and keeps its error', async () => {
    const [own, object] = [client(), name()];
    const one = await kind.create(own, object);
    const failure = new Error('in the block');

    const error = await rejection(
      (async () => {
        await using grant = await one.acquire();
        expect(grant).toBeDefined();
        throw failure;
      })(),
    );

    expect(error).toBe(failure);
    expect(await kind.isTaken(object)).toBe(false);
  });

  test('disposing of what cannot be given back does not reject, and is told', async () => {
    const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
    const own = client({ redis: proxy.url, commandTimeoutMs: 300 });
    const errors: string[] = [];
    own.on('error', ({ error }) => errors.push(error.name));
    const grant = await (await kind.create(own, object)).acquire();
    proxy.pauseUpstream();

    await grant[Symbol.asyncDispose]();
    proxy.resumeUpstream();

    expect(errors).toContain('OutcomeUnknownError');
    await eventually(async () => !(await kind.isTaken(object)));
  });
});

describe.each(leasedKinds)('losses: $what', (kind) => {
  const { client, name } = fixtureOf('lifecycle', kind);

  test('a loss is told once, whatever is done with it afterwards', async () => {
    const [own, object] = [client({ leaseMs: 900 }), name()];
    const one = await kind.create(own, object);
    const events = told(own);
    const grant = await one.acquire();

    await kind.erase(object);
    await eventually(() => names(events).includes('lost'));
    const errors = [await rejection(grant.release()), await rejection(grant.extend(500))];
    await grant[Symbol.asyncDispose]();

    expect(names(events)).toEqual(['acquired', 'lost']);
    expectOneGrant(events, kind, object);
    expect(errors).toEqual([grant.signal.reason, grant.signal.reason]);
    expect(errors[0]).toBeInstanceOf(LeaseLostError);
  });

  test('disposing of what was lost unnoticed does not reject, and tells the loss', async () => {
    const [own, object] = [client(), name()];
    const one = await kind.create(own, object);
    const events = told(own);
    const errors: Error[] = [];
    own.on('error', ({ error }) => errors.push(error));

    {
      await using grant = await one.acquire();
      expect(grant.isHeld).toBe(true);
      await kind.erase(object);
    }

    expect([names(events), errors]).toEqual([['acquired', 'lost'], []]);
  });

  test('what cannot be proven is suspect, and held again when it can', async () => {
    const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
    const own = client({ redis: proxy.url, leaseMs: 5_000 });
    const one = await kind.create(own, object);
    const events = told(own);
    const grant = await one.acquire();

    proxy.refuse();
    proxy.cutAll();
    await eventually(() => grant.state === 'suspect');
    const isHeldMeanwhile = grant.isHeld;
    await proxy.accept();
    await eventually(() => grant.state === 'held');

    expect(isHeldMeanwhile).toBe(true);
    expect(names(events)).toEqual(['acquired', 'suspect']);
    expectOneGrant(events, kind, object);
    await grant.release();
  });

  test('what stays out of reach is suspect, then lost as unproven, and free', async () => {
    const [object, proxy] = [name(), await startProxy({ target: redisUrl() })];
    const own = client({ redis: proxy.url, leaseMs: 900 });
    const one = await kind.create(own, object);
    const events = told(own);
    const grant = await one.acquire();

    proxy.refuse();
    proxy.cutAll();
    await eventually(() => grant.state === 'lost');
    await proxy.accept();

    expect(names(events)).toEqual(['acquired', 'suspect', 'lost']);
    expectOneGrant(events, kind, object);
    expect(grant.signal.reason).toMatchObject({ reason: 'unproven' });
    await eventually(async () => !(await kind.isTaken(object)));
  });
});

describe('one client with everything', () => {
  const { client, name, raw } = fixture('lifecycle-all', allLasting);

  test('closing frees what lives on a lease, and leaves permits without an owner', async () => {
    const own = client();
    const objects = allKinds.map((kind) => ({ kind, object: name() }));
    for (const { kind, object } of objects) {
      await (await kind.create(own, object)).acquire();
    }

    await own.close();

    const taken = objects.map(
      async ({ kind, object }) => [kind.what, await kind.isTaken(object)] as const,
    );
    expect(await Promise.all(taken)).toEqual(
      allKinds.map((kind) => [kind.what, kind.id === 'semaphore']),
    );
  });

  test('each of many permits is told as lost, once, under its own id', async () => {
    const own = client({ leaseMs: 900 });
    const semaphore = own.getPermitExpirableSemaphore(name());
    await semaphore.setPermits(3);
    const events = told(own);
    const permits = await semaphore.acquireMany(3);

    await raw.del(semaphore.name);
    await eventually(() => permits.every(({ state }) => state === 'lost'));

    const ids = permits.map(({ id }) => id);
    const lost = events.filter(({ event }) => event === 'lost').map(({ holderId }) => holderId);
    expect(new Set(ids).size).toBe(3);
    expect(lost.toSorted()).toEqual(ids.toSorted());
  });
});
