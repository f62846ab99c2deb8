import { expect, test } from 'vitest';
import { Kinds } from '../../src/core/kinds.js';
import { WrongTypeError } from '../../src/errors.js';

test('a name has one kind as long as somebody uses it', () => {
  const kinds = new Kinds();
  kinds.enter('p:jobs', 'jobs', 'lock');
  kinds.enter('p:jobs', 'jobs', 'lock');
  kinds.leave('p:jobs', true);

  const enter = (): void => kinds.enter('p:jobs', 'jobs', 'latch');

  expect(enter).toThrow(WrongTypeError);
  expect(enter).toThrow('"jobs" is in use as a lock by this client and cannot be a latch');
});

test('a refused user does not count', () => {
  const kinds = new Kinds();
  kinds.enter('jobs', 'jobs', 'lock');
  expect(() => kinds.enter('jobs', 'jobs', 'latch')).toThrow(WrongTypeError);

  kinds.leave('jobs', true);

  expect(() => kinds.enter('jobs', 'jobs', 'latch')).not.toThrow();
});

test('other names are not concerned', () => {
  const kinds = new Kinds();
  kinds.enter('jobs', 'jobs', 'lock');

  expect(() => kinds.enter('mail', 'mail', 'latch')).not.toThrow();
});

test('an object that may still be there keeps its kind without users', () => {
  const kinds = new Kinds();
  kinds.enter('jobs', 'jobs', 'latch');
  kinds.leave('jobs', false);

  expect(() => kinds.enter('jobs', 'jobs', 'lock')).toThrow(WrongTypeError);

  kinds.enter('jobs', 'jobs', 'latch');
  kinds.leave('jobs', true);

  expect(() => kinds.enter('jobs', 'jobs', 'lock')).not.toThrow();
});

test('a user that has seen nothing decides nothing', () => {
  const kinds = new Kinds();
  kinds.enter('jobs', 'jobs', 'latch');
  kinds.enter('jobs', 'jobs', 'latch');
  kinds.leave('jobs', undefined);
  kinds.leave('jobs', undefined);

  expect(() => kinds.enter('jobs', 'jobs', 'semaphore')).not.toThrow();

  kinds.enter('jobs', 'jobs', 'semaphore');
  kinds.leave('jobs', false);
  kinds.leave('jobs', undefined);

  expect(() => kinds.enter('jobs', 'jobs', 'latch')).toThrow(WrongTypeError);
});

test('what was seen last counts', () => {
  const kinds = new Kinds();
  kinds.enter('jobs', 'jobs', 'latch');
  kinds.enter('jobs', 'jobs', 'latch');
  kinds.enter('jobs', 'jobs', 'latch');
  kinds.leave('jobs', false);
  kinds.leave('jobs', true);
  kinds.leave('jobs', undefined);

  expect(() => kinds.enter('jobs', 'jobs', 'lock')).not.toThrow();
});

test('of the objects without users the newest thousand are remembered', () => {
  const kinds = new Kinds();
  kinds.enter('used', 'used', 'latch');
  for (let i = 0; i <= 1_000; i += 1) {
    kinds.enter(`idle-${i}`, `idle-${i}`, 'latch');
    kinds.leave(`idle-${i}`, false);
  }

  expect(() => kinds.enter('idle-0', 'idle-0', 'lock')).not.toThrow();
  expect(() => kinds.enter('idle-1', 'idle-1', 'lock')).toThrow(WrongTypeError);
  expect(() => kinds.enter('used', 'used', 'lock')).toThrow(WrongTypeError);
});

test('leaving what nobody entered changes nothing', () => {
  const kinds = new Kinds();

  kinds.leave('jobs', true);

  expect(() => kinds.enter('jobs', 'jobs', 'lock')).not.toThrow();
});
