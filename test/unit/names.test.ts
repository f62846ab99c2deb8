import { expect, test } from 'vitest';
import { Names, type NamedObject } from '../../src/core/names.js';
import { WrongTypeError } from '../../src/server-errors.js';

function named(key: string, family: string, ...sideKeys: string[]): NamedObject {
  return { resource: key, key, family, sideKeys };
}

const jobs = {
  lock: named('jobs', 'lock'),
  latch: named('jobs', 'latch'),
  semaphore: named('jobs', 'semaphore'),
};

test('a name has one kind as long as somebody uses it', () => {
  const kinds = new Names();
  kinds.enter(jobs.lock);
  kinds.enter(jobs.lock);
  kinds.leave(jobs.lock);

  const enter = (): void => kinds.enter(jobs.latch);

  expect(enter).toThrow(WrongTypeError);
  expect(enter).toThrow('"jobs" is in use as a lock by this client and cannot be a latch');
});

test('a refused user does not count', () => {
  const kinds = new Names();
  kinds.enter(jobs.lock);
  expect(() => kinds.enter(jobs.latch)).toThrow(WrongTypeError);

  kinds.leave(jobs.lock);

  expect(() => kinds.enter(jobs.latch)).not.toThrow();
});

test('other names are not concerned', () => {
  const kinds = new Names();
  kinds.enter(jobs.lock);

  expect(() => kinds.enter(named('mail', 'latch'))).not.toThrow();
});

test('leaving what nobody entered changes nothing', () => {
  const kinds = new Names();
  kinds.leave(jobs.lock);
  kinds.enter(jobs.lock);

  kinds.leave(jobs.latch);

  expect(() => kinds.enter(jobs.latch)).toThrow(WrongTypeError);
});

test('a name that shares a key with one in use is refused, and both are named', () => {
  const kinds = new Names();
  kinds.enter(named('y', 'fair-lock', 'queue:{y}', 'timeout:{y}'));

  const enter = (): void => kinds.enter(named('{y}', 'fair-lock', 'queue:{y}', 'timeout:{y}'));

  expect(enter).toThrow(WrongTypeError);
  expect(enter).toThrow(
    '"{y}" cannot be a fair-lock: it would share the key "queue:{y}" with the fair-lock "y", ' +
      'which is in use by this client',
  );
});

test('a name that is the side key of one in use is refused, in whichever order they come', () => {
  const fair = named('y', 'fair-lock', 'queue:{y}');
  const latch = named('queue:{y}', 'latch');
  const [one, other] = [new Names(), new Names()];
  one.enter(fair);
  other.enter(latch);

  expect(() => one.enter(latch)).toThrow('share the key "queue:{y}" with the fair-lock "y"');
  expect(() => other.enter(fair)).toThrow('share the key "queue:{y}" with the latch "queue:{y}"');
});

test('with its last user an object leaves all its keys to others', () => {
  const kinds = new Names();
  const fair = named('y', 'fair-lock', 'queue:{y}');
  kinds.enter(fair);
  kinds.leave(fair);

  expect(() => kinds.enter(named('queue:{y}', 'latch'))).not.toThrow();
});
