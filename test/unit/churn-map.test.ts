import { getHeapSpaceStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { ChurnMap } from '../../src/core/base/churn-map.js';

test('entries come and go as in a Map, whenever the table is replaced', () => {
  const map = new ChurnMap<number, string>();
  const twin = new Map<number, string>();
  for (let i = 0; i < 1_000; i++) {
    map.set(i, String(i));
    twin.set(i, String(i));
    const gone = i % 3 === 0 ? i : i - 90;
    expect(map.delete(gone)).toBe(twin.delete(gone));
    expect(map.delete(gone)).toBe(false);
  }

  expect([...map]).toEqual([...twin]);
  expect([...map.values()]).toEqual([...twin.values()]);
  expect(map.size).toBe(twin.size);
  expect(map.get(999)).toBeUndefined();
  expect(map.get(998)).toBe('998');
  expect(map.has(998)).toBe(true);
  map.clear();
  expect(map.size).toBe(0);
});

test('an iteration skips what is deleted meanwhile', () => {
  const map = new ChurnMap<number, string>();
  for (let i = 0; i < 300; i++) {
    map.set(i, String(i));
  }
  const seen: number[] = [];
  for (const [key] of map) {
    seen.push(key);
    // The table is replaced in the middle of them.
    if (key === 10) {
      Array.from({ length: 279 }, (_, i) => map.delete(11 + i));
    }
  }

  expect(seen).toEqual([
    ...Array.from({ length: 11 }, (_, i) => i),
    ...Array.from({ length: 10 }, (_, i) => 290 + i),
  ]);
});

function oldBytes(): number {
  const old = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return old?.space_used_size ?? 0;
}

/** Bytes that the old generation gains while entries come and go, a hundred at a time. */
function promotedBy(map: ChurnMap<number, object> | Map<number, object>): number {
  let [promoted, before] = [0, 0];
  for (let i = 0; i < 400_000; i++) {
    const value = { of: Array.from({ length: 20 }, () => i) };
    // In a pause the table itself grows old.
    if (i < 100 || i > 200_000) {
      map.set(i, value);
      map.delete(i < 200_100 ? i - 200_001 : i - 100);
    }
    if (i > 250_000 && i % 1_000 === 0) {
      const now = oldBytes();
      // It is smaller after a major collection.
      promoted += before === 0 ? 0 : Math.max(0, now - before);
      before = now;
    }
  }
  return promoted;
}

test('what is deleted does not grow old', () => {
  const churn = promotedBy(new ChurnMap());
  const plain = promotedBy(new Map());

  expect(churn).toBeLessThan(plain / 2);
});
