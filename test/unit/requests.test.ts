import { expect, test } from 'vitest';
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
  expect(requests.open('a')).toEqual({ number: 4, lowWater: 4 });
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
