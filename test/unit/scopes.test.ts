import assert from 'node:assert';
import { AsyncResource } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Scopes, type ScopeEntry, type ScopedHold } from '../../src/core/locks/scopes.js';

/** How many holds were looked at. */
let looks = 0;

class FakeHold implements ScopedHold {
  state: ScopedHold['state'] = 'held';
  readonly entry: ScopeEntry<FakeHold> = { hold: this, face: undefined };
  readonly lockName = '';
  readonly #lockId: string;
  readonly #outer: FakeHold | undefined;

  constructor(lockId: string, outer?: FakeHold) {
    this.#lockId = lockId;
    this.#outer = outer;
  }

  get lockId(): string {
    looks += 1;
    return this.#lockId;
  }

  get outer(): FakeHold | undefined {
    looks += 1;
    return this.#outer;
  }

  release(): void {
    this.state = 'released';
    this.entry.hold = undefined;
  }
}

const anywhere = (task: () => void): void => task();

/** What looking for holds costs where this is called: those that enclose, and one that does not. */
function costOfLooking(scopes: Scopes<FakeHold>): { enclosing: number; isInside: number } {
  const stranger = new FakeHold('elsewhere');
  looks = 0;
  scopes.enclosing('elsewhere');
  const enclosing = looks;
  looks = 0;
  scopes.isInside(stranger);
  return { enclosing, isInside: looks };
}

test('outside of every scope nothing encloses', () => {
  const scopes = new Scopes<FakeHold>();
  const hold = new FakeHold('a');

  scopes.run(hold.entry, () => {});

  expect(scopes.enclosing('a')).toBeUndefined();
  expect(scopes.isInside(hold)).toBe(false);
});

test('the nearest enclosing hold of the lock is found, across other locks and awaits', async () => {
  const scopes = new Scopes<FakeHold>();
  const outer = new FakeHold('a');
  const [between, inner] = [new FakeHold('b'), new FakeHold('a', outer)];
  const found: unknown[] = [];

  await scopes.run(outer.entry, async () => {
    await scopes.run(between.entry, async () => {
      await setImmediate();
      found.push(scopes.enclosing('a'), scopes.enclosing('b'), scopes.enclosing('c'));
      await scopes.run(inner.entry, async () => {
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
    outer.entry,
    async () =>
      await Promise.all(
        holds.map(
          async (hold) =>
            await scopes.run(hold.entry, async () => {
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

  const found = scopes.run(outer.entry, () =>
    scopes.run(inner.entry, () => {
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
  const inside = scopes.run(inner.entry, () =>
    scopes.run(other.entry, () =>
      [inner, outer, other, sibling].map((hold) => scopes.isInside(hold)),
    ),
  );

  expect(inside).toEqual([true, true, true, false]);
});

test('a scope is there for what its task started, and gone for what comes after', async () => {
  const scopes = new Scopes<FakeHold>();
  const hold = new FakeHold('a');

  const late = scopes.run(hold.entry, () => ({
    found: setImmediate().then(() => scopes.enclosing('a')),
  }));

  expect(scopes.enclosing('a')).toBeUndefined();
  expect(await late.found).toBe(hold);
});

test('a task that throws leaves no scope behind', () => {
  const scopes = new Scopes<FakeHold>();
  const hold = new FakeHold('a');

  expect(() => scopes.run(hold.entry, () => assert.fail('own'))).toThrow('own');
  expect(scopes.enclosing('a')).toBeUndefined();
});

test('scopes of two clients do not see each other', () => {
  const [mine, theirs] = [new Scopes<FakeHold>(), new Scopes<FakeHold>()];

  const found = mine.run(new FakeHold('a').entry, () => theirs.enclosing('a'));

  expect(found).toBeUndefined();
});

test('a job that starts its next run inside its scope again and again looks at what is held only', () => {
  const scopes = new Scopes<FakeHold>();
  let inNextRun = anywhere;
  const costs: unknown[] = [];

  for (let run = 0; run < 100; run += 1) {
    const hold = new FakeHold('job');
    const before = inNextRun;
    before(() => {
      scopes.run(hold.entry, () => {
        costs.push(costOfLooking(scopes));
        inNextRun = AsyncResource.bind((next) => next());
      });
    });
    hold.release();
  }

  expect(costs).toEqual(costs.map(() => ({ enclosing: 1, isInside: 1 })));
});

test('holds of alternating locks that overlap leave no trace of those that were released', () => {
  const scopes = new Scopes<FakeHold>();
  let inScope = anywhere;
  const held: FakeHold[] = [];
  const costs: unknown[] = [];

  for (let i = 0; i < 100; i += 1) {
    const hold = new FakeHold(`lock ${i % 4}`);
    inScope(() => {
      scopes.run(hold.entry, () => {
        costs.push(costOfLooking(scopes).enclosing);
        inScope = AsyncResource.bind((task) => task());
      });
    });
    // Each ends when two more have begun inside of it.
    held.push(hold);
    if (held.length > 2) {
      held.shift()?.release();
    }
  }

  expect(Math.max(...costs.map(Number))).toBe(3);
});

test('what was released after a scope began inside it is passed over for good', () => {
  const scopes = new Scopes<FakeHold>();
  const holds = ['a', 'b', 'c', 'd'].map((lock) => new FakeHold(lock));
  const [a, b, c, d] = holds as [FakeHold, FakeHold, FakeHold, FakeHold];

  const costs = scopes.run(a.entry, () =>
    scopes.run(b.entry, () =>
      scopes.run(c.entry, () =>
        scopes.run(d.entry, () => {
          b.release();
          c.release();
          scopes.enclosing('elsewhere');
          return [costOfLooking(scopes), scopes.enclosing('a'), scopes.enclosing('b')];
        }),
      ),
    ),
  );

  expect(costs).toEqual([{ enclosing: 2, isInside: 2 }, a, undefined]);
});

test('tasks run in one hold inside one another are one scope', () => {
  const scopes = new Scopes<FakeHold>();
  const [a, b] = [new FakeHold('a'), new FakeHold('b')];
  let inScope = anywhere;

  for (let i = 0; i < 100; i += 1) {
    inScope(() => {
      scopes.run((i % 2 === 0 ? a : b).entry, () => {
        inScope = AsyncResource.bind((task) => task());
      });
    });
  }

  inScope(() => {
    expect(costOfLooking(scopes)).toEqual({ enclosing: 2, isInside: 2 });
    expect([scopes.enclosing('a'), scopes.enclosing('b')]).toEqual([a, b]);
  });
});

test('looking through re-entries costs each hold once', () => {
  const scopes = new Scopes<FakeHold>();
  let inner = new FakeHold('a');
  const nest = (levels: number): number => {
    if (levels === 0) {
      return costOfLooking(scopes).isInside;
    }
    inner = new FakeHold('a', inner);
    return scopes.run(inner.entry, () => nest(levels - 1));
  };

  const cost = scopes.run(inner.entry, () => nest(50));

  expect(cost).toBe(51);
});
