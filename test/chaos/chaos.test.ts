// Clients of all kinds of object, and everything that can go wrong at once: see CONTRIBUTING.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchTimers } from '../faults/timers.js';
import { eventually } from '../support/eventually.js';
import { ownServer, type OwnServer } from '../support/server.js';
import { play } from './chaos.js';
import { report } from './report.js';
import { profileOf, seeds } from './seeds.js';

const told = new Set<string>();
const tally = { seeds: 0, grants: 0, calls: 0 };
const note = (what: unknown): void => {
  // The client tells of outages, of which there are many here.
  if (!(what instanceof Error && what.name === 'RedlatchWarning')) {
    told.add(String(what));
  }
};
const timers = watchTimers();
let shared: OwnServer;

beforeAll(async () => {
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  process.on('warning', note);
  shared = await ownServer();
});

afterAll(() => {
  timers.stop();
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  process.off('warning', note);
});

const progress = setInterval(() => {
  const { seeds: done, grants, calls } = tally;
  process.stderr.write(
    `chaos: ${done} of ${seeds.length} seeds, ${grants} grants, ${calls} calls\n`,
  );
}, 1_900);

afterAll(() => {
  clearInterval(progress);
});

test.concurrent.each(seeds)(
  'whatever goes wrong, nobody is told what is not so, and everybody gets in, seed %i',
  { timeout: 60_000 },
  async (seed) => {
    const { isFlushed, isFull } = profileOf(seed);
    const isAlone = isFlushed || isFull;
    const server = isAlone ? await ownServer() : shared;
    const { history } = await play(seed, server);
    if (isAlone) {
      await server.stop();
    }
    tally.seeds += 1;
    tally.grants += history.claims.length + history.handles.length;
    tally.calls += history.calls.length;
    if (history.violations.length > 0) {
      expect.fail(report(seed, history));
    }
  },
);

test('after all that, no error went unheard and no timer is left', async () => {
  expect(tally.grants, 'enough was granted to prove something').toBeGreaterThan(5 * seeds.length);
  expect([...told]).toEqual([]);
  await eventually(() => {
    expect(timers.alive()).toEqual([]);
  });
});
