import { describe, expect, test } from 'vitest';
import { nearest } from '../../src/core/base/nearest.js';
import { Random } from '../../src/testing/random.js';

/** By its definition, which takes exponential time. */
function distance(one: string, other: string): number {
  if (one === '' || other === '') {
    return Math.max(one.length, other.length);
  }
  const replaced = distance(one.slice(1), other.slice(1)) + (one[0] === other[0] ? 0 : 1);
  return Math.min(replaced, distance(one.slice(1), other) + 1, distance(one, other.slice(1)) + 1);
}

describe('the name that was meant', () => {
  test('is the one with the fewest letters to change, the first of several', () => {
    const random = new Random(1);
    const word = (): string =>
      Array.from({ length: random.int(0, 5) }, () => random.pick(['a', 'b', 'c'])).join('');
    for (let i = 0; i < 200; i += 1) {
      const [name, known] = [word(), Array.from({ length: 4 }, word)];
      const least = Math.min(...known.map((one) => distance(name, one)));
      expect([name, nearest(name, known)]).toEqual([
        name,
        known.find((one) => distance(name, one) === least),
      ]);
    }
  });

  test('may be in other letters, large or small', () => {
    expect(nearest('LEASEMS', ['waitMs', 'leaseMs'])).toBe('leaseMs');
  });

  test('is what people write by habit from other libraries, where it is known here', () => {
    expect(nearest('timeout', ['leaseMs', 'waitMs'])).toBe('waitMs');
    expect(nearest('Timeout', ['leaseMs', 'commandTimeoutMs'])).toBe('commandTimeoutMs');
    expect(nearest('ttl', ['waitMs', 'permits'])).toBe('waitMs');
  });
});
