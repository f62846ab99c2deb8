import { expect, test } from 'vitest';
import { Fairness } from '../../src/core/locks/fairness.js';
import { ChannelHub } from '../../src/core/waiting/channel-hub.js';
import { fakeClock, type FakeClock } from '../support/fake-clock.js';

const CHANNEL = 'redisson_lock__channel:{jobs}';

interface Stage {
  readonly clock: FakeClock;
  readonly hub: ChannelHub;
  readonly fairness: Fairness;
  readonly subscribed: ReadonlySet<string>;
  /** A release of this client, which so many connections heard of. */
  readonly release: (receivers: number) => void;
}

function stage(): Stage {
  const clock = fakeClock();
  const subscribed = new Set<string>();
  const channels = {
    add: (channel: string) => subscribed.add(channel),
    remove: (channel: string) => subscribed.delete(channel),
    isConfirmed: () => false,
    isRefused: () => false,
  };
  const hub = new ChannelHub(channels, clock, () => {});
  const fairness = new Fairness(hub, clock);
  const release = (receivers: number): void => {
    fairness.releasing(CHANNEL);
    hub.deliver(CHANNEL, '0');
    fairness.released(CHANNEL, { is: 'freed', receivers });
  };
  return { clock, hub, fairness, subscribed, release };
}

test('after some releases in a row it leaves the lock to the others who listen', () => {
  const { hub, fairness, release } = stage();
  hub.listen(CHANNEL, () => {});
  const delays: boolean[] = [];

  for (let i = 0; i < 4; i += 1) {
    release(2);
    delays.push(fairness.delayMs(CHANNEL) > 0);
  }

  expect(delays).toEqual([false, false, false, true]);
});

test('alone on its channel it never stands back', () => {
  const { hub, fairness, release } = stage();
  hub.listen(CHANNEL, () => {});

  for (let i = 0; i < 100; i += 1) {
    release(1);
  }

  expect(fairness.delayMs(CHANNEL)).toBe(0);
});

test('a second release within a second that only others heard of makes it listen', () => {
  const { subscribed, release } = stage();

  release(1);
  const once = subscribed.size;
  release(1);

  expect([once, [...subscribed]]).toEqual([0, [CHANNEL]]);
});

test('releases that nobody hears of make nobody listen', () => {
  const { subscribed, release } = stage();

  release(0);
  release(0);

  expect([...subscribed]).toEqual([]);
});

test('a third release counts anew: alone it makes nobody listen', () => {
  const { clock, subscribed, release } = stage();
  release(1);
  release(1);
  clock.advance(5_000);

  release(1);

  expect([...subscribed]).toEqual([]);
});

test('what it owed is forgotten with the channel', () => {
  const { clock, hub, fairness, subscribed, release } = stage();
  const leave = hub.listen(CHANNEL, () => {});
  for (let i = 0; i < 4; i += 1) {
    release(2);
  }

  leave();
  clock.advance(1_001);
  hub.listen(CHANNEL, () => {});

  expect([subscribed.size, fairness.delayMs(CHANNEL)]).toEqual([1, 0]);
});
