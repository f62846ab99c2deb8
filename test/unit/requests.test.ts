import { describe, expect, test } from 'vitest';
import { Requests } from '../../src/core/delivery/requests.js';

test('every request has a number that was never used, whatever its object', () => {
  const requests = new Requests();

  const numbers = ['a', 'b', 'a', 'c'].map((key) => requests.open(key).number);

  expect(numbers).toEqual([1, 2, 3, 4]);
});

test('the low-water mark is the lowest request of the object that is under way', () => {
  const requests = new Requests();
  const first = requests.open('a');
  requests.open('b');
  const third = requests.open('a');

  const before = requests.lowWater('a');
  requests.settle('a', first);

  expect([first.lowWater, third.lowWater, before]).toEqual([1, 1, 1]);
  expect(requests.lowWater('a')).toBe(3);
  expect(requests.open('a').lowWater).toBe(3);
});

test('settling out of order keeps the low-water mark under what is still under way', () => {
  const requests = new Requests();
  const [first, second, third] = ['a', 'a', 'a'].map((key) => requests.open(key));

  requests.settle('a', third!);
  requests.settle('a', second!);
  const before = requests.lowWater('a');
  requests.settle('a', first!);

  expect(before).toBe(1);
  expect(requests.open('a')).toMatchObject({ number: 4, lowWater: 4 });
});

test('of three under way none is forgotten', () => {
  const requests = new Requests();
  const [first, second, third] = ['a', 'a', 'a'].map((key) => requests.open(key));
  requests.open('b');

  requests.settle('a', first!);
  requests.settle('a', second!);

  expect(requests.lowWater('a')).toBe(third!.number);
});

test('with nothing under way, the low-water mark is above all that is settled or at its last', () => {
  const requests = new Requests();
  requests.settle('a', requests.open('a'));

  const next = requests.open('a');

  expect(next.lowWater).toBe(next.number);
});

function burst(requests: Requests, size: number): (number | undefined)[] {
  const all = Array.from({ length: size }, () => requests.open('a'));
  return all.map((one) => requests.settle('a', one));
}

describe('the low-water mark is told by a command of its own', () => {
  test('after more than fifty answers, with the last of them', () => {
    const requests = new Requests();

    expect(burst(requests, 50).filter((mark) => mark !== undefined)).toEqual([]);
    requests.open('b');
    expect(burst(requests, 51)).toEqual([...Array.from({ length: 50 }, () => undefined), 103]);
    expect(burst(requests, 50).at(-1)).toBeUndefined();
  });

  test('not while one is under way, whichever that is', () => {
    const requests = new Requests();
    const first = requests.open('a');

    expect(burst(requests, 60).filter((mark) => mark !== undefined)).toEqual([]);
    expect(requests.settle('a', first)).toBe(62);
  });

  test('not after a request that told a higher one', () => {
    const requests = new Requests();
    let last = requests.open('a');
    for (let i = 0; i < 100; i += 1) {
      const next = requests.open('a');
      requests.settle('a', last);
      last = next;
    }

    expect(requests.settle('a', last)).toBeUndefined();
  });
});

test('settling twice, or for another object, changes nothing', () => {
  const requests = new Requests();
  const first = requests.open('a');
  const second = requests.open('b');

  requests.settle('b', first);
  requests.settle('c', first);
  requests.settle('b', second);
  requests.settle('b', second);

  expect(requests.lowWater('a')).toBe(1);
});
