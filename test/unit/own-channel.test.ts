import { expect, test } from 'vitest';
import type { Listener } from '../../src/core/waiting/channel-hub.js';
import { OwnChannel, ownChannelOf, type Held } from '../../src/core/waiting/own-channel.js';
import { lockForceRelease } from '../../src/core/wire/scripts.generated.js';
import { clientBytes } from '../../src/expirable-semaphore/permit-ids.js';
import { fakeClock } from '../support/fake-clock.js';

const CLIENT = '01234567-89ab-4cde-8f01-23456789abcd';
const HOLDER = `${CLIENT}:7`;
const PERMIT = Buffer.concat([clientBytes(CLIENT), Buffer.alloc(8, 0xff)]).toString('hex');

function stage() {
  const clock = fakeClock();
  const channels: string[] = [];
  const looks: string[] = [];
  const listeners: Listener[] = [];
  const held = new Set<Held>();
  const channel = new OwnChannel({
    hub: {
      listen(name, listener) {
        channels.push(name);
        listeners.push(listener);
        return () => {};
      },
    },
    clock,
    held,
    look(key) {
      looks.push(key);
      return [...held].some(({ identity }) => identity.key === key);
    },
    lookAtAll: () => looks.push('all'),
  });
  /** Returns a function that releases it. */
  const hold = (key: string, holderId = HOLDER): (() => void) => {
    const one = { identity: { holderId, key }, active: true };
    held.add(one);
    channel.held(one);
    return () => {
      one.active = false;
      held.delete(one);
    };
  };
  const listening = () => {
    hold('long ago');
    clock.advance(100);
  };
  const tell = (message?: string) => listeners[0]?.(message);
  return { clock, channels, looks, channel, hold, listening, tell };
}

test('a client listens when something has been held for 100 ms, once, and for permits on a second channel', () => {
  const { clock, channels, hold } = stage();

  hold('a');
  clock.advance(99);
  expect(channels).toEqual([]);
  clock.advance(1);
  expect(channels).toEqual([`latchkey:${CLIENT}`]);
  hold('b');
  hold('c', PERMIT);
  hold('d', PERMIT);
  clock.advance(1_000);

  expect(channels).toEqual([`latchkey:${CLIENT}`, 'latchkey:0123456789ab4cde']);
});

test('a client that holds everything for a moment never listens, and has no timer in the end', () => {
  const { clock, channels, hold } = stage();

  for (let i = 0; i < 50; i += 1) {
    const release = hold('key');
    clock.advance(90);
    release();
  }
  clock.advance(100);

  expect([channels, clock.pending]).toEqual([[], 0]);
});

test('what is held when the first hold is over is waited for as long', () => {
  const { clock, channels, hold } = stage();
  hold('permit', PERMIT);
  const release = hold('first');
  clock.advance(60);
  hold('second');
  release();
  clock.advance(40);
  expect(channels).toEqual(['latchkey:0123456789ab4cde']);

  clock.advance(100);

  expect(channels).toContain(`latchkey:${CLIENT}`);
});

test('scripts publish where clients listen', () => {
  const [, prefix] = /'PUBLISH', ?'([^']*)' ?\.\. ?client/u.exec(lockForceRelease.source) ?? [];

  expect(ownChannelOf(HOLDER)).toBe(`${prefix}${CLIENT}`);
});

test('whoever is told that a hold may be over asks at once', () => {
  const { looks, hold, listening, tell } = stage();
  listening();
  hold('key with spaces');

  tell('key with spaces');

  expect(looks).toEqual(['key with spaces']);
});

test('a message that comes before the grant which it is about is not lost', () => {
  const { looks, hold, listening, tell } = stage();
  listening();

  tell('key');
  expect(looks).toEqual(['key']);
  hold('key');
  expect(looks).toEqual(['key', 'key']);
  hold('key');

  expect(looks).toHaveLength(2);
});

test('of messages about what is not held here the last hundred are kept', () => {
  const { looks, hold, listening, tell } = stage();
  listening();
  for (let i = 0; i <= 100; i += 1) {
    tell(`key ${i}`);
  }
  looks.length = 0;

  hold('key 0');
  hold('key 1');
  hold('key 100');

  expect(looks).toEqual(['key 1', 'key 100']);
});

test('with each confirmed subscription everything that is held is looked at', () => {
  const { looks, listening, tell } = stage();
  listening();

  tell();
  tell();

  expect(looks).toEqual(['all', 'all']);
});

test('a closed client has no timer left, and never listens', () => {
  const { clock, channels, hold, channel } = stage();
  hold('key');

  channel.close();

  expect(clock.pending).toBe(0);
  clock.advance(10_000);
  expect(channels).toEqual([]);
});
