import { beforeEach, expect, test } from 'vitest';
import { Leaks, type Watched } from '../../src/core/observe/leaks.js';
import { fakeClock } from '../support/fake-clock.js';
import { eventually } from '../support/eventually.js';
import { kept } from '../support/garbage.js';
import { warningsWith } from '../support/process-warnings.js';

const texts = warningsWith('REDLATCH_LEAK');
beforeEach(() => void (texts.length = 0));

const watched = (resource: string, more: Partial<Watched> = {}): Watched => ({
  held: { resource, kind: 'lock' },
  grantedAt: 1_000,
  origin: undefined,
  isRenewed: true,
  ...more,
});

/** Resolves when what nobody has was found, and warned of. */
async function found(count: number): Promise<void> {
  await eventually(async () => {
    await kept([]);
    return texts.length >= count;
  });
}

test('ten are told in a minute, and then how many more there were', async () => {
  const clock = fakeClock();
  const leaks = new Leaks(clock);
  for (let i = 0; i < 12; i += 1) {
    leaks.watch({}, watched(`name ${i}`));
  }
  clock.advance(12_345);
  await found(10);
  clock.advance(60_000);
  await found(11);

  expect(texts).toHaveLength(11);
  expect(texts.slice(0, 10).filter((text) => !text.includes('held for 12.3 s'))).toEqual([]);
  expect(texts[10]).toContain('2 more are renewed');
  expect(clock.pending).toBe(0);
});

test('only what is renewed, is watched and has a client is told', async () => {
  const clock = fakeClock();
  const [leaks, closed] = [new Leaks(clock), new Leaks(clock)];
  const released = watched('released');
  leaks.watch({}, released);
  leaks.unwatch(released);
  leaks.watch({}, watched('over', { isRenewed: false }));
  closed.watch({}, watched('closed'));
  closed.close();
  leaks.watch({}, watched('told', { origin: '    at here' }));

  await found(1);

  expect(texts).toEqual([expect.stringMatching(/"told".*It was acquired here:\n {4}at here$/s)]);
});
