// The bound of what a majority of servers holds.

import { expect, test } from 'vitest';
import { rejection } from '../../contract/fixture.js';
import { eventually } from '../../support/eventually.js';
import { quorumOfFile } from '../../support/quorum.js';

const stage = await quorumOfFile('quorum-bounds');

test('a server that grants late is bounded with the others, and released', async () => {
  const client = stage.client();
  const lock = client.getLock(stage.name());

  const hold = await lock.acquire({ maxHoldMs: 800 });
  await eventually(() => hold.state === 'lost');

  expect(hold.signal.reason).toMatchObject({ reason: 'expired' });
  await stage.expectNothingLeft();
});

test('the bound of several names is one of what was re-entered of them', async () => {
  const client = stage.client();
  const [one, other] = [stage.name(), stage.name()];
  const outer = await client.getLock(one).acquire();
  const both = client.getMultiLock([one, other]);

  const hold = await both.acquire({ within: outer, maxHoldMs: 700 });
  const extended = await rejection(hold.extend(701));
  await eventually(() => hold.state === 'lost' && outer.state === 'lost');

  expect(extended).toBeInstanceOf(RangeError);
  expect(outer.signal.reason).toMatchObject({ reason: 'expired' });
  await stage.expectNothingLeft();
});
