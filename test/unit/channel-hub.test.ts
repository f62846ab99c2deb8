import { expect, test } from 'vitest';
import { ChannelHub } from '../../src/core/waiting/channel-hub.js';
import { fakeClock } from '../support/fake-clock.js';

const LINGER_MS = 1_000;

function stage() {
  const clock = fakeClock();
  const done: string[] = [];
  const errors: Error[] = [];
  const channels = {
    add: (channel: string) => void done.push(`subscribe ${channel}`),
    remove: (channel: string) => void done.push(`unsubscribe ${channel}`),
    isConfirmed: () => false,
    isRefused: () => false,
  };
  const hub = new ChannelHub(channels, clock, (error) => errors.push(error));
  return { clock, hub, done, errors };
}

test('a channel is subscribed once, however many listen', () => {
  const { hub, done } = stage();
  const heard: unknown[] = [];

  hub.listen('a', (payload) => heard.push(['one', payload]));
  hub.listen('a', (payload) => heard.push(['two', payload]));
  hub.deliver('a', '0');
  hub.deliver('a', undefined);
  hub.deliver('b', '0');

  expect(done).toEqual(['subscribe a']);
  expect(heard).toEqual([
    ['one', '0'],
    ['two', '0'],
    ['one', undefined],
    ['two', undefined],
  ]);
});

test('a channel stays subscribed for a second after its last listener', () => {
  const { clock, hub, done } = stage();
  const [leave, leaveToo] = [hub.listen('a', () => {}), hub.listen('a', () => {})];

  leave();
  clock.advance(LINGER_MS);
  expect([hub.knows('a'), clock.pending]).toEqual([true, 0]);
  leaveToo();
  clock.advance(LINGER_MS - 1);
  expect(hub.knows('a')).toBe(true);
  clock.advance(1);

  expect(hub.knows('a')).toBe(false);
  expect(done).toEqual(['subscribe a', 'unsubscribe a']);
});

test('a listener that comes meanwhile keeps it, and hears what comes later', () => {
  const { clock, hub, done } = stage();
  const heard: unknown[] = [];
  hub.listen('a', () => {})();

  clock.advance(LINGER_MS - 1);
  hub.listen('a', (payload) => heard.push(payload));
  clock.advance(LINGER_MS);
  hub.deliver('a', '1');

  expect([hub.knows('a'), heard, done]).toEqual([true, ['1'], ['subscribe a']]);
});

test('leaving twice starts no second time, and hears nothing', () => {
  const { clock, hub, done } = stage();
  const heard: unknown[] = [];
  const leave = hub.listen('a', (payload) => heard.push(payload));

  leave();
  clock.advance(LINGER_MS - 1);
  leave();
  hub.deliver('a', '0');
  clock.advance(LINGER_MS);
  leave();

  expect(heard).toEqual([]);
  expect(done).toEqual(['subscribe a', 'unsubscribe a']);
  expect(clock.pending).toBe(0);
});

test('a listener that throws is reported, and keeps nothing from the others', () => {
  const { hub, errors } = stage();
  const heard: unknown[] = [];
  hub.listen('a', () => {
    throw new Error('mine');
  });
  hub.listen('a', (payload) => heard.push(payload));

  hub.deliver('a', '0');

  expect([errors.map(({ message }) => message), heard]).toEqual([['mine'], ['0']]);
});

test('after the end nothing lingers', () => {
  const { clock, hub, done } = stage();
  hub.listen('a', () => {})();

  hub.close();
  clock.advance(LINGER_MS);

  expect([clock.pending, done]).toEqual([0, ['subscribe a']]);
});
