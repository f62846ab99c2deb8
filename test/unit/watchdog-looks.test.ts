import { describe, expect, test } from 'vitest';
import { HELD, LEASE_MS, stage } from '../support/watchdog-stage.js';

describe('a look beside the rounds of the watchdog', () => {
  test('asks about one object, whatever is under way, and renews nothing', () => {
    const { clock, asked, watchdog, grant } = stage();
    const lease = grant('a');
    grant('b');
    clock.advance(LEASE_MS / 3);
    let done = 0;

    watchdog.look('a', () => (done += 1));
    watchdog.look('c', () => (done += 1));
    expect(asked[1]?.items.map(({ key, leaseMs }) => [key, leaseMs])).toEqual([['a', 0]]);
    expect(done).toBe(1);
    asked[1]?.answer([{ is: 'deleted' }]);

    expect([lease.state, done]).toEqual(['lost', 2]);
  });

  test('is over also when it failed, and puts nothing in doubt', () => {
    const { asked, watchdog, grant } = stage();
    const lease = grant('a');
    let done = 0;

    watchdog.look('a', () => (done += 1));
    asked[0]?.fail();

    expect([lease.state, done]).toEqual(['held', 1]);
  });

  test('keeps nothing from being renewed in time', () => {
    const { clock, asked, watchdog, grant } = stage();
    const lease = grant('a');

    for (let round = 0; round < 3; round += 1) {
      clock.advance(LEASE_MS / 3 - 1);
      watchdog.look('a', () => {});
      clock.advance(1);
      const [look, renewal] = asked.slice(-2);
      expect([look, renewal].map((each) => each?.items[0]?.leaseMs)).toEqual([0, LEASE_MS]);
      look?.answer([HELD]);
      renewal?.answer([HELD]);
      expect(lease.state).toBe('held');
    }
    // A look that is answered does not stand for the renewal that is still under way.
    clock.advance(LEASE_MS / 3);
    watchdog.look('a', () => {});
    asked.at(-1)?.answer([HELD]);
    clock.advance(LEASE_MS / 3);
    expect(lease.state).toBe('suspect');
  });

  test('at everything asks about what is being renewed as well', () => {
    const { clock, asked, watchdog, grant } = stage();
    grant('a');
    grant('b');
    clock.advance(LEASE_MS / 3);
    asked.length = 0;

    watchdog.lookAtAll();

    const items = asked.flatMap((each) => each.items);
    expect(items.map(({ key, leaseMs }) => [key, leaseMs])).toEqual([
      ['a', 0],
      ['b', 0],
    ]);
  });

  test('asks nothing while nothing can be sent, or about what is lost', () => {
    const world = stage();
    world.grant('a');
    let done = 0;
    world.down = new Error('away');
    world.watchdog.look('a', () => (done += 1));
    world.watchdog.lookAtAll();
    world.down = undefined;
    world.clock.freeze(LEASE_MS);
    world.watchdog.look('a', () => (done += 1));
    world.watchdog.lookAtAll();

    expect([world.asked, done]).toEqual([[], 2]);
  });
});
