// Two who are told to hold what only one may hold are found, where no fault excuses it.

import { expect, test } from 'vitest';
import type { Kind } from '../history.js';
import { call, fault, found, hold, part, type Part } from './made-up.js';

const OVERLAP = 'one holder at an instant';
const ONE_CLIENT = 'one holder in a client, whatever happens';
const LIMIT = 'never more permits than there are';

const first = hold('a', [0, 10, 100], { toldLostAt: 100 });
const second = (from: number, client = 2): Part =>
  hold('b', [from - 5, from, from + 10, from + 12], { client });

test('two that meet are found, two that follow each other are not', () => {
  expect(found([first, second(50)])).toContain(OVERLAP);
  expect(found([first, second(100)])).toEqual([]);
});

test('two of one client are found under every fault', () => {
  const flush = fault('flush', [20, 20]);
  expect(found([first, second(50), flush])).toEqual([]);
  expect(found([first, second(50, 1), flush])).toEqual([ONE_CLIENT]);
});

test.each(['flush', 'failover', 'clock step'] as const)(
  'a %s excuses those of before it, until the next renewal',
  (what) => {
    const detail = what === 'clock step' ? '1000' : '';
    const lost = fault(what, [20, 25], { detail });
    expect(found([first, second(50), lost])).toEqual([]);
    const long = hold('a', [0, 10, 400], { toldLostAt: 400 });
    expect(found([long, second(350), lost])).toEqual([OVERLAP]);
    const later = hold('a', [26, 30, 100], { toldLostAt: 100 });
    expect(found([later, second(50), lost])).toContain(OVERLAP);
  },
);

test.each(['force', 'delete'] as const)('%s excuses those of other clients', (action) => {
  const kind: Kind = action === 'delete' ? 'expirable' : 'lock';
  const set = part(call('set', [-9, -8], { kind }));
  const again = part(call('set', [26, 27], { kind }));
  const ended = part(call(action, [20, 25], { kind, client: 2 }));
  const parts = [
    hold('a', [0, 10, 100], { kind, toldLostAt: 100 }),
    hold('b', [45, 50, 60, 62], { kind, client: 2 }),
  ];
  const sets = kind === 'expirable' ? [set, again] : [];
  expect(found([...parts, ...sets, ended])).toEqual([]);
  expect(found([...parts, ...sets.slice(0, 1)])).toContain(kind === 'lock' ? OVERLAP : LIMIT);
});

const lostSoon = (from: number): Part =>
  hold('c', [30, from, from + 5], { end: 'lost', toldLostAt: from + 5 });

test('a hold that follows right behind one of its client may be of a grant that was forced free', () => {
  const force = part(call('force', [20, 25], { client: 3 }));
  const other = hold('b', [26, 28, 60, 62], { client: 2 });
  const granted = hold('a', [0, 40, 45, 46], { waits: true });

  expect(found([other, granted, lostSoon(45), force])).not.toContain(OVERLAP);
  expect(found([other, granted, lostSoon(50), force])).toContain(OVERLAP);
  expect(found([other, granted, lostSoon(45)])).toContain(OVERLAP);
});

test('a forced release without an answer may run as long as the faults last that it met', () => {
  const force = part(call('force', [20, 25], { outcome: 'unknown', client: 3 }));
  const stall = fault('server stall', [15, 900]);
  const early = hold('a', [0, 10, 1_000], { toldLostAt: 1_000 });
  const late = second(950);

  expect(found([early, late, force, stall])).not.toContain(OVERLAP);
  expect(found([early, late, force])).toContain(OVERLAP);
  expect(found([early, second(5_000), force, stall])).not.toContain(OVERLAP);
  const kill = fault('kill', [10, Infinity], { client: 7 });
  expect(found([early, late, force, kill])).toContain(OVERLAP);
  const longer = hold('a', [0, 10, 6_000], { toldLostAt: 6_000 });
  expect(found([longer, second(5_000), force, stall])).toContain(OVERLAP);
});

const foundNothing = (answeredAt: number): Part =>
  part(call('force', [40, answeredAt], { outcome: 'no', answer: false, client: 3 }));

test('a forced release that spans a failover may have run, whatever its second copy answers', () => {
  const failover = fault('failover', [70, 70]);
  expect(found([first, second(50), foundNothing(90), failover])).not.toContain(OVERLAP);
  expect(found([first, second(50), foundNothing(60), failover])).toContain(OVERLAP);
  expect(found([first, second(50), foundNothing(90)])).toContain(OVERLAP);
});

test('a forced release from before a flush may run again behind it', () => {
  const later = hold('a', [26, 30, 100], { toldLostAt: 100 });
  const force = part(call('force', [5, 13], { outcome: 'unknown', client: 3 }));
  const parts = [later, second(50), fault('flush', [20, 20])];
  expect(found([...parts, force])).toEqual([]);
  expect(found(parts)).toContain(OVERLAP);
});

test('all holds of one owner share the longest lease, also for an excuse', () => {
  const outer = hold('a', [0, 10, 400], { leaseMs: 100, toldLostAt: 400 });
  const inner = hold('a', [12, 14, 400], { leaseMs: 600, toldLostAt: 400 });
  const parts = [fault('flush', [20, 20]), second(350)];
  expect(found([outer, ...parts])).toContain(OVERLAP);
  expect(found([outer, inner, ...parts])).toEqual([]);
});
