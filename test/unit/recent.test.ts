import { expect, test } from 'vitest';
import { Recent } from '../../src/core/base/recent.js';

/** As many names at least are kept. */
const SIZE = 1_000;

function stage() {
  const made: string[] = [];
  const recent = new Recent((name: string) => {
    made.push(name);
    return { name };
  });
  const all = (prefix: string, count: number): void => {
    for (let i = 0; i < count; i += 1) {
      recent.get(`${prefix}${i}`);
    }
  };
  return { made, recent, all };
}

test('a value is made once while its name is among the last thousand', () => {
  const { made, recent, all } = stage();
  const first = recent.get('a');
  all('other', SIZE - 1);

  expect(recent.get('a')).toBe(first);
  expect(made.filter((name) => name === 'a')).toHaveLength(1);
});

test('a value that is asked for again and again is kept, however many others there are', () => {
  const { made, recent, all } = stage();
  const first = recent.get('a');
  for (let round = 0; round < 10; round += 1) {
    all(`${round}:`, SIZE / 2);
    expect(recent.get('a')).toBe(first);
  }

  expect(made.filter((name) => name === 'a')).toHaveLength(1);
});

test('values that nobody asks for any more are dropped', () => {
  const { made, recent, all } = stage();
  recent.get('a');
  all('other', 2 * SIZE);

  recent.get('a');

  expect(made.filter((name) => name === 'a')).toHaveLength(2);
});

test('a name that is refused is refused each time, and keeps nothing', () => {
  const recent = new Recent((name: string) => {
    throw new RangeError(name);
  });

  expect(() => recent.get('bad')).toThrow('bad');
  expect(() => recent.get('bad')).toThrow('bad');
});
