import { expect, test } from 'vitest';
import { NameRegistry } from '../../src/core/name-registry.js';
import type { NamedObject } from '../../src/core/name-registry.js';
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
  const kinds = new NameRegistry();
  kinds.enter(jobs.lock);
  kinds.enter(jobs.lock);
  kinds.leave(jobs.lock, true);

  const enter = (): unknown => kinds.enter(jobs.latch);

  expect(enter).toThrow(WrongTypeError);
  expect(enter).toThrow('"jobs" is in use as a lock by this client and cannot be a latch');
});

test('a refused user does not count', () => {
  const kinds = new NameRegistry();
  kinds.enter(jobs.lock);
  expect(() => kinds.enter(jobs.latch)).toThrow(WrongTypeError);

  kinds.leave(jobs.lock, true);

  expect(kinds.enter(jobs.latch)).toBeUndefined();
});

test('other names are not concerned', () => {
  const kinds = new NameRegistry();
  kinds.enter(jobs.lock);

  expect(kinds.enter(named('mail', 'latch'))).toBeUndefined();
});

test('an object that may still be there is in the way, without users, until it is forgotten', () => {
  const kinds = new NameRegistry();
  kinds.enter(jobs.latch);
  kinds.leave(jobs.latch, false);

  const rival = kinds.enter(jobs.lock);
  const again = kinds.enter(jobs.lock);
  kinds.forget(rival);

  expect(rival?.object).toBe(jobs.latch);
  expect(again).toBe(rival);
  expect(kinds.enter(jobs.lock)).toBeUndefined();
});

test('an object that is used again is not forgotten', () => {
  const kinds = new NameRegistry();
  kinds.enter(jobs.latch);
  kinds.leave(jobs.latch, false);
  const rival = kinds.enter(jobs.lock);
  kinds.enter(jobs.latch);

  kinds.forget(rival);

  expect(() => kinds.enter(jobs.lock)).toThrow(WrongTypeError);
});

test('an object whose end was seen is not in the way', () => {
  const kinds = new NameRegistry();
  kinds.enter(jobs.latch);
  kinds.leave(jobs.latch, false);
  kinds.enter(jobs.latch);
  kinds.leave(jobs.latch, true);

  expect(kinds.enter(jobs.lock)).toBeUndefined();
});

test('a user that has seen nothing decides nothing', () => {
  const kinds = new NameRegistry();
  kinds.enter(jobs.latch);
  kinds.enter(jobs.latch);
  kinds.leave(jobs.latch, undefined);
  kinds.leave(jobs.latch, undefined);

  expect(kinds.enter(jobs.semaphore)).toBeUndefined();

  kinds.enter(jobs.semaphore);
  kinds.leave(jobs.semaphore, false);
  kinds.leave(jobs.semaphore, undefined);

  expect(kinds.enter(jobs.latch)?.object).toBe(jobs.semaphore);
});

test('what was seen last counts', () => {
  const kinds = new NameRegistry();
  kinds.enter(jobs.latch);
  kinds.enter(jobs.latch);
  kinds.enter(jobs.latch);
  kinds.leave(jobs.latch, false);
  kinds.leave(jobs.latch, true);
  kinds.leave(jobs.latch, undefined);

  expect(kinds.enter(jobs.lock)).toBeUndefined();
});

test('of the objects without users the newest thousand are remembered', () => {
  const kinds = new NameRegistry();
  kinds.enter(named('used', 'latch'));
  for (let i = 0; i <= 1_000; i += 1) {
    const idle = named(`idle-${i}`, 'latch');
    kinds.enter(idle);
    kinds.leave(idle, false);
  }

  expect(kinds.enter(named('idle-0', 'lock'))).toBeUndefined();
  expect(kinds.enter(named('idle-1', 'lock'))).toBeDefined();
  expect(() => kinds.enter(named('used', 'lock'))).toThrow(WrongTypeError);
});

test('leaving what nobody entered changes nothing', () => {
  const kinds = new NameRegistry();
  kinds.leave(jobs.lock, true);
  kinds.enter(jobs.lock);

  kinds.leave(jobs.latch, true);

  expect(() => kinds.enter(jobs.latch)).toThrow(WrongTypeError);
});

test('a name that shares a key with one in use is refused, and both are named', () => {
  const kinds = new NameRegistry();
  kinds.enter(named('y', 'fair-lock', 'queue:{y}', 'timeout:{y}'));

  const enter = (): unknown => kinds.enter(named('{y}', 'fair-lock', 'queue:{y}', 'timeout:{y}'));

  expect(enter).toThrow(WrongTypeError);
  expect(enter).toThrow(
    '"{y}" cannot be a fair-lock: it would share the key "queue:{y}" with the fair-lock "y", ' +
      'which is in use by this client',
  );
});

test('a name that is the side key of one in use is refused, in whichever order they come', () => {
  const fair = named('y', 'fair-lock', 'queue:{y}');
  const latch = named('queue:{y}', 'latch');
  const [one, other] = [new NameRegistry(), new NameRegistry()];
  one.enter(fair);
  other.enter(latch);

  expect(() => one.enter(latch)).toThrow('share the key "queue:{y}" with the fair-lock "y"');
  expect(() => other.enter(fair)).toThrow('share the key "queue:{y}" with the latch "queue:{y}"');
});

test('with its last user an object leaves all its keys to others', () => {
  const kinds = new NameRegistry();
  const fair = named('y', 'fair-lock', 'queue:{y}');
  kinds.enter(fair);
  kinds.leave(fair, true);

  expect(kinds.enter(named('queue:{y}', 'latch'))).toBeUndefined();
  expect(kinds.enter(jobs.lock)).toBeUndefined();
});
