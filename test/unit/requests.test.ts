import { expect, test } from 'vitest';
import { Requests } from '../../src/core/delivery/requests.js';

test('every request has a number that was never used, whatever its object', () => {
  const requests = new Requests();

  const numbers = ['a', 'b', 'a', 'c'].map((key) => requests.open(key).number);

  expect(numbers).toEqual([1, 2, 3, 4]);
});

test('the floor is the lowest request of the object that is under way', () => {
  const requests = new Requests();
  const first = requests.open('a');
  requests.open('b');
  const third = requests.open('a');

  const before = requests.floor('a');
  requests.settle('a', first);

  expect([first.floor, third.floor, before]).toEqual([1, 1, 1]);
  expect(requests.floor('a')).toBe(3);
  expect(requests.open('a').floor).toBe(3);
});

test('settling out of order keeps the floor under what is still under way', () => {
  const requests = new Requests();
  const [first, second, third] = ['a', 'a', 'a'].map((key) => requests.open(key));

  requests.settle('a', third!);
  requests.settle('a', second!);
  const before = requests.floor('a');
  requests.settle('a', first!);

  expect(before).toBe(1);
  expect(requests.open('a')).toEqual({ number: 4, floor: 4 });
});

test('with nothing under way, the floor is above all that is settled or at its last', () => {
  const requests = new Requests();
  requests.settle('a', requests.open('a'));

  const next = requests.open('a');

  expect(next.floor).toBe(next.number);
});

test('settling twice, or for another object, changes nothing', () => {
  const requests = new Requests();
  const first = requests.open('a');
  const second = requests.open('b');

  requests.settle('b', first);
  requests.settle('c', first);
  requests.settle('b', second);
  requests.settle('b', second);

  expect(requests.floor('a')).toBe(1);
});
