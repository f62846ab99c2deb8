import assert from 'node:assert';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Scopes, type ScopedHold } from '../../src/core/scopes.js';

class FakeHold implements ScopedHold {
  state: ScopedHold['state'] = 'held';
  readonly lockId: string;
  readonly outer: FakeHold | undefined;

  constructor(lockId: string, outer?: FakeHold) {
    this.lockId = lockId;
    this.outer = outer;
  }
}

test('outside of every scope nothing encloses', () => {
  const scopes = new Scopes<FakeHold>();
  const hold = new FakeHold('a');

  scopes.run(hold, () => {});

  expect(scopes.enclosing('a')).toBeUndefined();
  expect(scopes.isInside(hold)).toBe(false);
});

test('the nearest enclosing hold of the lock is found, across other locks and awaits', async () => {
  const scopes = new Scopes<FakeHold>();
  const outer = new FakeHold('a');
  const [between, inner] = [new FakeHold('b'), new FakeHold('a', outer)];
  const found: unknown[] = [];

  await scopes.run(outer, async () => {
    await scopes.run(between, async () => {
      await setImmediate();
      found.push(scopes.enclosing('a'), scopes.enclosing('b'), scopes.enclosing('c'));
      await scopes.run(inner, async () => {
        await setImmediate();
        found.push(scopes.enclosing('a'), scopes.enclosing('b'));
      });
      found.push(scopes.enclosing('a'));
    });
  });

  expect(found).toEqual([outer, between, undefined, inner, between, outer]);
});

test('parallel branches see their own scopes only', async () => {
  const scopes = new Scopes<FakeHold>();
  const outer = new FakeHold('a');
  const holds = [1, 2, 3].map(() => new FakeHold('a', outer));

  const found = await scopes.run(
    outer,
    async () =>
      await Promise.all(
        holds.map(
          async (hold) =>
            await scopes.run(hold, async () => {
              await setImmediate();
              return scopes.enclosing('a');
            }),
        ),
      ),
  );

  expect(found).toEqual(holds);
});

test('a released hold is passed over, a lost or suspect one is not', () => {
  const scopes = new Scopes<FakeHold>();
  const outer = new FakeHold('a');
  const inner = new FakeHold('a', outer);

  const found = scopes.run(outer, () =>
    scopes.run(inner, () => {
      const states = (['suspect', 'lost', 'released'] as const).map((state) => {
        inner.state = state;
        return scopes.enclosing('a');
      });
      outer.state = 'released';
      return [...states, scopes.enclosing('a')];
    }),
  );

  expect(found).toEqual([inner, inner, outer, undefined]);
});

test('code is inside the hold it runs in, and inside every hold that one re-entered from', () => {
  const scopes = new Scopes<FakeHold>();
  const outer = new FakeHold('a');
  const inner = new FakeHold('a', outer);
  const [other, sibling] = [new FakeHold('b'), new FakeHold('a', outer)];

  // Entered by name: there is no scope of `outer` around it.
  const inside = scopes.run(inner, () =>
    scopes.run(other, () => [inner, outer, other, sibling].map((hold) => scopes.isInside(hold))),
  );

  expect(inside).toEqual([true, true, true, false]);
});

test('a scope is there for what its task started, and gone for what comes after', async () => {
  const scopes = new Scopes<FakeHold>();
  const hold = new FakeHold('a');

  const late = scopes.run(hold, () => ({
    found: setImmediate().then(() => scopes.enclosing('a')),
  }));

  expect(scopes.enclosing('a')).toBeUndefined();
  expect(await late.found).toBe(hold);
});

test('a task that throws leaves no scope behind', () => {
  const scopes = new Scopes<FakeHold>();
  const hold = new FakeHold('a');

  expect(() => scopes.run(hold, () => assert.fail('own'))).toThrow('own');
  expect(scopes.enclosing('a')).toBeUndefined();
});

test('scopes of two clients do not see each other', () => {
  const [mine, theirs] = [new Scopes<FakeHold>(), new Scopes<FakeHold>()];

  const found = mine.run(new FakeHold('a'), () => theirs.enclosing('a'));

  expect(found).toBeUndefined();
});
