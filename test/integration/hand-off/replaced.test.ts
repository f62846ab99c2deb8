// A message about the grant of a ticket may come late, when another one of its client has taken its place.

import { expect, test } from 'vitest';
import { privateKey } from '../../../src/core/base/key-names.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { fencedLock, lock, writeLock } from '../../support/kinds/locks.js';

const { client, name, raw } = fixture('replaced', fencedLock.lasting);

test.each([
  { ...lock, grant: 'g', number: 0 },
  { ...fencedLock, grant: 'g', number: 7 },
  { ...writeLock, grant: 'x', number: 0 },
])('for a $what it gives nothing back, and leaves no key', async (kind) => {
  const object = name();
  const [rival, own] = [client(), client()];
  const hold = await kind.get(rival, object).acquire();
  const controller = new AbortController();
  const first = rejection(kind.get(own, object).acquire({ signal: controller.signal }));
  const tickets = async (): Promise<string[]> =>
    (await raw.hkeys(privateKey('tickets', object))).filter((id) => id.startsWith(`${own.id}:`));
  await eventually(async () => (await tickets()).length === 1);
  const channel = `redlatch:${own.id}`;
  await eventually(
    async () => ((await raw.call('PUBSUB', 'NUMSUB', channel)) as unknown[])[1] === 1,
  );
  const [old = ''] = await tickets();
  const second = kind.get(own, object).acquire({ leaseMs: 20_000 });
  controller.abort();
  await first;
  await eventually(async () => !(await tickets()).includes(old));
  // By then the ticket that took its place is answered.
  await kind.get(own, object).isLocked();

  const told = async (holderId: string): Promise<unknown> => {
    const message = `${kind.grant}${holderId} ${Date.now()} 10000 ${kind.number} ${object}`;
    return await raw.publish(channel, message);
  };
  const unknown = `${own.id}:999999`;
  await told(old);
  await told(unknown);
  await eventually(async () => (await raw.exists(kind.tombstone(object, unknown))) === 1);

  expect(await raw.exists(kind.tombstone(object, old))).toBe(0);
  expect((await tickets()).length).toBe(1);
  await raw.del(kind.tombstone(object, unknown));
  await hold.release();
  await (await second).release();
});
