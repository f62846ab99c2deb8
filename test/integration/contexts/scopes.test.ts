// Nobody gets into the scope of somebody else because that one happened to wake it, to open the
// connection that it hears by, or to make its client.

import { expect, test } from 'vitest';
import type { Client } from '../../../src/index.js';
import { fixture, gate } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { toldOf } from '../../support/told.js';
import { contend, SHORT_MS, triedWhenLost } from './contexts.js';
import { allLasting, leasedKinds } from '../../support/kinds/kinds.js';
import type { LeasedKind } from '../../support/kinds/kind.js';

const { client, name, raw } = fixture('contexts', allLasting);

/** The same scene for every kind whose grants can be lost, all at once: what each comes to. */
async function withEveryKind(
  scene: (kind: LeasedKind) => Promise<number | null>,
): Promise<readonly (readonly [string, number | null])[]> {
  return await Promise.all(
    leasedKinds.map(async (kind) => [kind.what, await scene(kind)] as const),
  );
}

const nobody = leasedKinds.map((kind) => [kind.what, null]);

test('who is woken by a release inside a scope is not in that scope when it loses its grant', async () => {
  const outcomes = await withEveryKind(async (kind) => {
    const mine = client();
    const lock = mine.getLock(name());
    const sides = { waiting: mine, blocking: mine, lock, raw };
    const { release, tried } = await contend(kind, name(), sides);

    return await lock.using(async () => {
      await release();
      return await tried;
    });
  });

  expect(outcomes).toEqual(nobody);
});

test('who hears of a release on a connection that a scope has opened is not in that scope', async () => {
  const outcomes = await withEveryKind(async (kind) => {
    const [mine, other] = [client(), client()];
    const leader = mine.getLock(name());
    const opening = name();
    const first = await other.getLock(opening).acquire();
    const [opened, ended] = [gate(), gate()];

    const scope = leader.using(async () => {
      // The first wait of this client makes it listen.
      const waiting = mine.getLock(opening).using(() => undefined);
      await eventually(async () => (await toldOf(opening, raw)) > 0);
      await first.release();
      await waiting;
      opened.open();
      await ended.opened;
    });
    await opened.opened;
    const sides = { waiting: mine, blocking: other, lock: leader, raw };
    const { release, tried } = await contend(kind, name(), sides);
    await release();
    const outcome = await tried;
    ended.open();
    await scope;
    return outcome;
  });

  expect(outcomes).toEqual(nobody);
});

test('a client that is made inside a scope of another client is not in that scope', async () => {
  const outcomes = await withEveryKind(async (kind) => {
    const lock = client().getLock(name());
    const ended = gate();
    let scope!: Promise<void>;
    const made = await new Promise<Client>((resolve) => {
      scope = lock.using(async () => {
        resolve(client());
        await ended.opened;
      });
    });
    // What it asks before it is connected is sent when it is.
    const object = await kind.create(made, name());
    const outcome = await triedWhenLost(object.acquire({ leaseMs: SHORT_MS }), lock);
    ended.open();
    await scope;
    return outcome;
  });

  expect(outcomes).toEqual(nobody);
});
