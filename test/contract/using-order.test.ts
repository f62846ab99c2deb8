// `using` takes its task and its options in either order.

import { describe, expect, test } from 'vitest';
import { AcquireTimeoutError } from '../../src/index.js';
import { titled, type Kind } from '../support/kinds/kind.js';
import { kinds, leasedKinds } from '../support/kinds/kinds.js';
import { fixtureOf, rejection } from './fixture.js';

/** Calls `using` as a program without types would. */
type Untyped = (...given: unknown[]) => Promise<unknown>;

const nothing = (): void => undefined;
const ONE_TASK = 'task must be a function and options must be an object, got two functions';

const MISUSES: readonly [what: string, given: unknown[], message: string][] = [
  ['no argument', [], 'task must be a function, got undefined'],
  ['options alone', [{ waitMs: 5 }], 'task must be a function, got a value of type object'],
  ['a string alone', ['task'], 'task must be a function, got "task"'],
  ['no task behind options', [{ waitMs: 5 }, 7], 'task must be a function, got 7'],
  ['null behind options', [{ waitMs: 5 }, null], 'task must be a function, got'],
  ['two functions', [nothing, nothing], ONE_TASK],
  ['options that are none', ['options', nothing], 'options must be an object, got a string'],
  ['null for options', [null, nothing], 'options must be an object, got null'],
  ['null behind a task', [nothing, null], 'options must be an object, got null'],
];

describe.each(titled(kinds))('%s', (_, kind: Kind) => {
  const { client, name } = fixtureOf('using-order', kind);

  test('the options may come first, and count', async () => {
    const [own, key] = [client(), name()];
    const one = await kind.create(own, key);

    const result = await one.using({ waitMs: 5_000 }, async () => {
      const late = await rejection(kind.rival(client(), key).using({ waitMs: 0 }, nothing));
      return late;
    });
    const again = await one.using(undefined, () => 'again');

    expect(result).toBeInstanceOf(AcquireTimeoutError);
    expect(again).toBe('again');
    expect(await kind.isFree(key)).toBe(true);
  });

  test.each(MISUSES)('%s: refused, and nothing is acquired', async (_what, given, message) => {
    const key = name();
    const one = await kind.create(client(), key);
    const using: Untyped = one.using.bind(one) as Untyped;

    const error = await rejection(using(...given));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(message);
    expect(await kind.isFree(key)).toBe(true);
  });
});

describe.each(titled(leasedKinds))('%s', (_, kind) => {
  const { client, name } = fixtureOf('using-order', kind);

  test('the task gets the grant when the options come first', async () => {
    const one = await kind.create(client(), name());

    const seen = await one.using({ leaseMs: 5_000 }, ({ isHeld, remainingMs }) => {
      return { isHeld, isFixed: remainingMs <= 5_000 };
    });

    expect(seen).toEqual({ isHeld: true, isFixed: true });
  });
});
