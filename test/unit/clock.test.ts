import { describe, expect, test } from 'vitest';
import { elapsedTime, systemClock } from '../../src/core/base/clock.js';
import { eventually } from '../support/eventually.js';

interface Machine {
  monotonic: number;
  wall: number;
  /** Elapsed time since the machine was made. */
  read: () => number;
  /** How much of the time since then came from steps. */
  stepped: (since: number) => number;
  /** Both clocks run. */
  run: (ms: number) => void;
}

function machine(): Machine {
  const clocks = { monotonic: 5_000, wall: 1_700_000_000_000 };
  const { now, steppedSince } = elapsedTime({
    monotonicMs: () => clocks.monotonic,
    wallMs: () => clocks.wall,
  });
  const start = now();
  return Object.assign(clocks, {
    read: () => now() - start,
    stepped: (since: number) => steppedSince(start + since),
    run: (ms: number) => {
      clocks.monotonic += ms;
      clocks.wall += ms;
    },
  });
}

describe('elapsed time', () => {
  test('runs with the clocks of the machine', () => {
    const time = machine();

    time.run(1_234.5);

    expect(time.read()).toBe(1_234.5);
  });

  test('counts the time in which the machine was suspended', () => {
    const time = machine();
    time.run(100);
    const before = time.read();

    time.wall += 60_000;
    const after = time.read();
    time.run(100);

    expect([before, after, time.read()]).toEqual([100, 60_100, 60_200]);
  });

  test('says how much of it came from steps since an instant', () => {
    const time = machine();
    time.run(100);
    time.read();

    time.wall += 60_000;
    const since = [0, 100, 60_100].map((at) => time.stepped(at));
    time.run(100);
    time.wall += 1_000;

    expect(since).toEqual([60_000, 60_000, 0]);
    expect([100, 60_100, 61_200].map((at) => time.stepped(at))).toEqual([61_000, 1_000, 0]);
  });

  test('takes steps that are long ago for time that has passed', () => {
    const time = machine();
    for (let i = 0; i < 100; i += 1) {
      time.run(1_000);
      time.wall += 1_000;
      time.read();
    }

    expect(time.stepped(0)).toBe(32_000);
  });

  test('counts each of several suspensions once', () => {
    const time = machine();

    for (let i = 0; i < 3; i += 1) {
      time.wall += 10_000;
      time.run(1_000);
      time.read();
      time.read();
    }

    expect(time.read()).toBe(33_000);
  });

  test('never goes back when the wall clock is set back', () => {
    const time = machine();
    time.run(1_000);
    const before = time.read();

    time.wall -= 3_600_000;
    const after = time.read();
    time.run(500);

    expect([before, after, time.read()]).toEqual([1_000, 1_000, 1_500]);
  });

  test('counts a suspension that comes after the wall clock was set back', () => {
    const time = machine();
    time.wall -= 3_600_000;
    time.read();

    time.wall += 20_000;

    expect(time.read()).toBe(20_000);
  });

  test('counts a wall clock that is set forward, which ends leases early', () => {
    const time = machine();

    time.wall += 5_000;

    expect(time.read()).toBe(5_000);
  });

  test('ignores the grain of the wall clock', () => {
    const time = machine();

    for (let i = 0; i < 1_000; i += 1) {
      time.run(1);
      time.wall += i % 2 === 0 ? 0.9 : -0.9;
      time.read();
    }

    expect(time.read()).toBe(1_000);
  });

  test('a wall clock slewed forward makes it a little fast, never slow', () => {
    const time = machine();

    // A minute at 500 ppm, as a time daemon may slew, looked at every 100 ms.
    for (let i = 0; i < 600; i += 1) {
      time.run(100);
      time.wall += 0.05;
      time.read();
    }

    expect(time.read()).toBeGreaterThan(60_019);
    expect(time.read()).toBeLessThan(60_031);
  });

  test('a wall clock slewed back does not slow it down', () => {
    const time = machine();

    for (let i = 0; i < 600; i += 1) {
      time.run(100);
      time.wall -= 0.05;
      time.read();
    }

    expect(time.read()).toBe(60_000);
  });

  test('a wall clock slewed back for long does not hide a suspension', () => {
    const time = machine();
    for (let i = 0; i < 600; i += 1) {
      time.run(100);
      time.wall -= 0.5;
      time.read();
    }

    time.wall += 1_000;

    expect(time.read()).toBe(61_000);
  });
});

describe('the clock of the machine', () => {
  test('a timer runs once, and not when it was cancelled', async () => {
    const clock = systemClock();
    const ran: string[] = [];
    clock.after(1, () => ran.push('kept'));
    const cancelled = clock.after(1, () => ran.push('cancelled'));
    const last = clock.after(20, () => ran.push('last'));

    cancelled.cancel();
    cancelled.cancel();
    await eventually(() => ran.includes('last'));
    last.cancel();

    expect(ran).toEqual(['kept', 'last']);
  });

  test('a timer may be longer than the machine can count, and does not fire at once', async () => {
    const clock = systemClock();
    const ran: string[] = [];
    const far = [2 ** 31, 1e12, Infinity].map((ms) => clock.after(ms, () => ran.push('far')));

    clock.after(-5, () => ran.push('overdue'));
    await eventually(() => ran.length > 0);
    clock.after(5, () => ran.push('near'));
    await eventually(() => ran.includes('near'));

    expect(ran).toEqual(['overdue', 'near']);
    far.forEach((timer) => timer.cancel());
  });

  test('time passes', async () => {
    const clock = systemClock();
    const start = clock.now();

    await eventually(() => clock.now() > start + 5);

    expect(clock.now()).toBeGreaterThan(start);
  });
});

/** How many timers keep the process alive now. */
const alive = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

describe('the timers of the system clock', () => {
  test('do not keep the process alive, but for one that is asked to', () => {
    const clock = systemClock();
    const before = alive();

    const timer = clock.after(60_000, () => {});
    const keepAlive = clock.keepAlive();
    const idle = alive();
    keepAlive.ref();
    const kept = alive();
    keepAlive.unref();
    const unref = alive();
    keepAlive.ref();
    keepAlive.cancel();
    timer.cancel();

    expect([idle, kept, unref, alive()].map((count) => count - before)).toEqual([0, 1, 0, 0]);
  });
});
