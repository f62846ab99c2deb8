// The answer to a release that comes after its caller has given up, or never, ends the grant all the
// same: one event says how.

import { describe, expect, test } from 'vitest';
import {
  CommandTimeoutError,
  LeaseLostError,
  OutcomeUnknownError,
  type Client,
} from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { eventually } from '../support/eventually.js';
import { leasedKinds } from '../support/kinds/kinds.js';
import { FOREIGNER, type LeasedGrant, type LeasedKind } from '../support/kinds/kind.js';
import { cutReply, faultWorlds, prepare, rejection, runs, take, type World } from './world.js';
import { partError } from '../support/parts.js';

const open = faultWorlds('release-late');

/** How each grant of a client has ended, as it was told. */
function endsOf(client: Client): string[] {
  const ends: string[] = [];
  client.on('lost', ({ holderId, error }) => ends.push(`${holderId} lost ${error.reason}`));
  client.on('released', ({ holderId, error }) =>
    ends.push(`${holderId} released${error === undefined ? '' : ` ${error.name}`}`),
  );
  return ends;
}

/** Redis is away, and the client knows it: what it releases from now on is not sent. */
async function cutOff({ down }: World, grant: LeasedGrant): Promise<void> {
  down();
  await eventually(() => grant.state === 'suspect');
}

const ends: ['deleted' | 'taken', (kind: LeasedKind, name: string) => Promise<unknown>][] = [
  ['deleted', async (kind, name) => await kind.erase(name)],
  ['taken', async (kind, name) => await kind.usurp(name, FOREIGNER, 3_000)],
];

for (const kind of leasedKinds) {
  describe.concurrent(`the release of a ${kind.what}`, () => {
    test('that is answered late is told as one', async (context) => {
      const world = await open(context, { commandTimeoutMs: 200 });
      const { name, client } = world;
      await prepare(kind, world);
      const told = endsOf(client);
      const grant = await take(kind.get(client, name));
      await cutOff(world, grant);

      const { error } = await rejection(grant.release());
      const before = [...told];
      await world.up();
      await eventually(() => expect(told).toHaveLength(1));
      await grant.release();

      expect(error).toBeInstanceOf(CommandTimeoutError);
      expect([before, grant.state]).toEqual([[], 'released']);
      expect(told).toEqual([`${kind.idOf(grant)} released`]);
    });

    test('that has run, and of which only a copy is answered, is told as one', async (context) => {
      const world = await open(context, { commandTimeoutMs: 200 });
      const { name, client, proxy } = world;
      await prepare(kind, world);
      const told = endsOf(client);
      const grant = await take(kind.get(client, name));
      const fault = cutReply(proxy, kind.scripts.release);

      const failing = rejection(grant.release());
      await fault.ran();
      const { error } = await failing;
      await fault.replay();
      await eventually(() => expect(told).toHaveLength(1));

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      expect(told).toEqual([`${kind.idOf(grant)} released`]);
    });

    for (const [reason, end] of ends.slice(0, kind.usurped === 'taken' ? 2 : 1)) {
      test(`that finds it ${reason}, but late, is told as a loss`, async (context) => {
        const world = await open(context, { commandTimeoutMs: 200 });
        const { name, client } = world;
        await prepare(kind, world);
        const told = endsOf(client);
        const grant = await take(kind.get(client, name));
        const aborted: unknown[] = [];
        grant.signal.addEventListener('abort', () => aborted.push(grant.signal.reason));
        await cutOff(world, grant);

        await rejection(grant.release());
        const before = grant.state;
        await end(kind, name);
        await world.up();
        await eventually(() => expect(told).toHaveLength(1));
        const { error } = await rejection(grant.release());

        expect(told).toEqual([`${kind.idOf(grant)} lost ${reason}`]);
        expect([before, grant.state]).toEqual(['released', 'lost']);
        expect(error).toBeInstanceOf(LeaseLostError);
        expect([aborted, grant.signal.reason]).toEqual([[error], error]);
      });
    }

    test('that has no answer while its lease lasts is told as a loss then', async (context) => {
      const world = await open(context, { commandTimeoutMs: 200, leaseMs: 600 });
      const { name, client } = world;
      await prepare(kind, world);
      const told = endsOf(client);
      const grant = await take(kind.get(client, name));
      await cutOff(world, grant);

      const { error } = await rejection(grant.release());
      await eventually(() => expect(told).toHaveLength(1));
      const loss = await rejection(grant.release());
      await world.up();
      // The release goes on, and is answered.
      await eventually(async () => expect(await kind.isFree(name)).toBe(true));

      expect(partError(loss.error)).toMatchObject({ reason: 'unproven', cause: partError(error) });
      expect(told).toEqual([`${kind.idOf(grant)} lost unproven`]);
    });

    test('that has no answer when its client has closed is told as a loss', async (context) => {
      const world = await open(context, { commandTimeoutMs: 200, leaseMs: 1_000 });
      const { name, client } = world;
      await prepare(kind, world);
      const told = endsOf(client);
      const grant = await take(kind.get(client, name));
      await cutOff(world, grant);

      await rejection(grant.release());
      await client.close({ timeoutMs: 10 });
      await world.up();

      expect(told).toEqual([`${kind.idOf(grant)} lost unproven`]);
    });
  });
}

describe.concurrent('the release of counting permits', () => {
  test('that is answered late is told then, once', async (context) => {
    const world = await open(context, { commandTimeoutMs: 200 });
    const { name, client, other, setPermits } = world;
    await setPermits(3);
    const told = endsOf(client);
    const permits = await client.getSemaphore(name).acquire(2);
    world.down();

    await rejection(permits.release());
    const before = [...told];
    await world.up();
    await eventually(() => expect(told).toHaveLength(1));
    await permits.release();

    expect(before).toEqual([]);
    expect(told).toEqual([expect.stringMatching(/ released$/)]);
    expect(await other.getSemaphore(name).availablePermits()).toBe(3);
  });

  test('of which a copy was carried out is told once', async (context) => {
    const world = await open(context, { commandTimeoutMs: 200 });
    const { name, client, other, proxy, setPermits } = world;
    await setPermits(3);
    const told = endsOf(client);
    const permits = await client.getSemaphore(name).acquire(2);
    const fault = cutReply(proxy, scripts.semaphoreRelease);

    const failing = rejection(permits.release());
    await fault.ran();
    await failing;
    const before = [...told];
    await fault.replay();
    await eventually(() => expect(told).toHaveLength(1));
    await permits.release();

    expect(before).toEqual([]);
    expect(told).toEqual([expect.stringMatching(/ released$/)]);
    expect(await other.getSemaphore(name).availablePermits()).toBe(3);
  });

  test('that has no answer when its client closes is told with the error', async (context) => {
    const world = await open(context, { commandTimeoutMs: 200 });
    const { name, client, setPermits } = world;
    // Its connection is not given up while its release is under way.
    const patient = world.open();
    await setPermits(3);
    const told = [endsOf(client), endsOf(patient)];
    const [late, sent] = [
      await client.getSemaphore(name).acquire(),
      await patient.getSemaphore(name).acquire(),
    ];
    const held = world.proxy.holdRequests(runs(scripts.semaphoreRelease));
    const givingBack = world.proxy.holdRequests(runs(scripts.semaphoreGiveBack));

    await rejection(late.release());
    const releasing = rejection(sent.release());
    await eventually(() => held.held.length === 2);
    await Promise.all([client, patient].map(async (one) => await one.close({ timeoutMs: 10 })));
    const { error } = await releasing;
    held.release();
    givingBack.release();

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(
      told
        .flat()
        .map((end) => end.replace(/^\S+ /u, ''))
        .toSorted(),
    ).toEqual(['released ClosedError', 'released OutcomeUnknownError']);
  });
});
