// What a store does with fencing tokens, and without them: a holder that is paused past its lease
// between its read and its write.

import { describe, expect, test } from 'vitest';
import type { StoreRecord } from '../history.js';
import { FencedStore, OpenStore, RecordedStore, type Store } from '../stores.js';
import { lostUpdates } from './fenced-store.js';
import { checkAll, violationsOf } from './index.js';
import { fault, historyOf, type Part } from './made-up.js';

/** Workers that read and write in turns: `1 r`: the one with token 1 reads. */
function run(store: Store, turns: readonly string[]): StoreRecord {
  const recorded = new RecordedStore(store);
  const rounds = new Map<string, (wroteAt: number) => void>();
  for (const [at, turn] of turns.entries()) {
    const name = turn.charAt(0);
    if (turn.endsWith('r')) {
      const who = { object: 'x', client: 1, owner: `o${name}` };
      rounds.set(name, recorded.begin({ ...who, token: BigInt(name), readAt: at }));
    } else {
      rounds.get(name)?.(at);
    }
  }
  return { writes: recorded.writes, value: recorded.value };
}

function violations(fencedStore: StoreRecord): number {
  const findings = checkAll(historyOf([], { fencedStore }), { kinds: ['fenced'] });
  return violationsOf(findings).length;
}

const ONE_BY_ONE = ['1 r', '1 w', '2 r', '2 w', '3 r', '3 w'];
const PAUSED = ['1 r', '2 r', '2 w', '1 w', '3 r', '3 w'];
/** The paused one writes after the next one has read, and before it writes. */
const BETWEEN = ['1 r', '2 r', '1 w', '2 w'];

describe.each([
  ['one by one', ONE_BY_ONE, 0],
  ['paused past the next write', PAUSED, 1],
  ['paused past the next read', BETWEEN, 1],
])('%s', (_, turns, lost) => {
  test('a fenced store loses nothing', () => {
    const store = run(new FencedStore(), turns);

    expect(violations(store)).toBe(0);
    expect(lostUpdates(store)).toBe(0);
    expect(store.writes.filter(({ isAccepted }) => !isAccepted)).toHaveLength(lost);
  });

  test('one that takes every write does', () => {
    const store = run(new OpenStore(), turns);

    expect(lostUpdates(store)).toBe(lost);
    expect(violations(store) > 0).toBe(lost > 0);
  });
});

test('a value that is not that of the last write is found', () => {
  const { writes, value } = run(new FencedStore(), ONE_BY_ONE);

  expect(violations({ writes, value: value - 1 })).toBe(1);
  expect(violations({ writes: [], value: 1 })).toBe(1);
});

test('a write with a smaller token is found', () => {
  const { writes, value } = run(new FencedStore(), ONE_BY_ONE);
  const swapped = writes.map((write, i) => ({ ...write, token: i === 2 ? 0n : write.token }));

  expect(violations({ writes: swapped, value })).toBe(1);
});

test('in a crowd that lost its data two holds may have the same token, and elsewhere may not', () => {
  const fencedStore = run(new FencedStore(), ['1 r', '2 r', '2 w', '3 r', '2 w', '3 w']);
  const writes = fencedStore.writes.map((write) => ({ ...write, token: 1n, isAccepted: true }));
  const found = (parts: readonly Part[], isCrowd: boolean): number =>
    violationsOf(
      checkAll(historyOf(parts, { isCrowd, fencedStore: { ...fencedStore, writes } }), {
        kinds: ['fenced'],
      }),
    ).length;

  expect(found([fault('flush', [3, 3])], true)).toBe(0);
  expect(found([fault('flush', [3, 3])], false)).toBeGreaterThan(0);
  expect(found([], true)).toBeGreaterThan(0);
});
