// The calls of several locks at once, each with the state that it finds.

import type { Router } from '../../src/core/connection/router.js';
import { lineKeys, type LineKeys } from '../../src/core/locks/line.js';
import { quorumRaiseTokens } from '../../src/core/wire/scripts.generated.js';
import { askOf, releaseOf } from '../../src/multi-lock/commands.js';
import { randomName } from '../support/redis.js';
import type { Place } from './seldom-calls.js';

const US = '11111111-1111-4111-8111-111111111111:1';
const BEFORE = '11111111-1111-4111-8111-111111111111:7';
const THEY = '22222222-2222-4222-8222-222222222222:1';
const DEAD = 'deaddead-dead-4ead-8ead-deaddeaddead:1';

/** As much of a router as these calls are made of. */
const router = {
  publish: 'PUBLISH',
  channels: { isConfirmed: () => false },
} as unknown as Router;

/** A lock that somebody may have, with those who stand in its line. */
async function lock({ raw }: Place, holder?: string, ...waiting: string[]): Promise<LineKeys> {
  const keys = lineKeys(randomName('joint'), true);
  if (holder !== undefined) {
    await raw.hset(keys.lock, holder, 1);
    await raw.pexpire(keys.lock, 60_000);
  }
  for (const id of waiting) {
    await raw.rpush(keys.line, id);
    await raw.hset(keys.tickets, id, id === DEAD ? '1 9000 0 0' : `${Date.now()} 9000 0 0`);
  }
  await raw.pexpire(keys.line, 60_000);
  await raw.pexpire(keys.tickets, 60_000);
  return keys;
}

export async function jointCalls(place: Place): Promise<void> {
  const terms = { holder: US, leaseMs: 30_000, partMs: 20_000, isExact: false, all: false };
  for (const [isExact, ...states] of [
    [false, [], []],
    [false, [], [THEY]],
    [false, [BEFORE], [THEY, DEAD]],
    [false, [BEFORE], [undefined, DEAD]],
    [true, [BEFORE, THEY], []],
  ] as const) {
    const locks = await Promise.all(
      states.map(async (state) => {
        const heldBy = state[0] === BEFORE ? BEFORE : undefined;
        return { keys: await lock(place, ...state), heldBy, ticket: 'unheard' as const };
      }),
    );
    const { script, operands } = askOf(router, locks, { ...terms, isExact });
    await place.run(script, operands);
  }
  const parts = await Promise.all(
    [[US], [US, THEY], [US, DEAD], [THEY, US]].map(async (state) => ({
      keys: await lock(place, ...state),
      holderId: US,
      terms: { count: 0, tombstoneMs: 1_000, upTo: 1 },
    })),
  );
  const { script, operands } = releaseOf(router, parts, true);
  await place.run(script, operands);
  const held = [await lock(place, US), await lock(place, US)];
  await place.raw.set(held[0]?.token[0] ?? '', '7');
  const locks = held.flatMap((keys) => [keys.lock, ...keys.token]);
  const tokens = ['1795907716991200', '1795907716991201'];
  await place.run(quorumRaiseTokens, quorumRaiseTokens.operands({ locks }, { holder: US, tokens }));
}
