// What a caller is answered does not depend on whether the first reply gets through: an answer that is
// recorded, or that a second copy finds again, is the outcome of the call.

import { describe, expect, test } from 'vitest';
import { countedKinds } from './counted-kinds.js';
import { countedOutcomes } from './known-outcomes-counts.js';
import { lockOutcomes } from './known-outcomes-locks.js';
import { cutReply, faultWorlds } from './world.js';

const open = faultWorlds('known-outcomes');

const outcomes = [...countedOutcomes, ...lockOutcomes];

test('every script that counts has an outcome here', () => {
  const known = new Set(outcomes.map(({ script }) => script.name));

  expect(countedKinds.map(({ script }) => script.name).filter((it) => !known.has(it))).toEqual([]);
});

describe.concurrent.each(outcomes)('$script.name, $what', ({ script, prepare, call, answer }) => {
  test.for([
    ['its reply comes', false],
    ['its first reply is lost', true],
  ] as const)('the outcome is told when %s', async ([, isCut], context) => {
    const world = await open(context);
    await prepare?.(world);
    const fault = isCut ? cutReply(world.proxy, script) : undefined;
    const calling = call(world.client, world.name).catch((error: unknown) => ({ error }));
    await fault?.ran();
    await fault?.replay();

    const told = await calling;

    if (typeof answer === 'object' && answer !== null) {
      expect(told).toMatchObject({ error: answer });
    } else {
      expect(told).toEqual(answer);
    }
  });
});
