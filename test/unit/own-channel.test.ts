import { expect, test } from 'vitest';
import type { Listener } from '../../src/core/waiting/channel-hub.js';
import { OwnChannel, ownChannelOf } from '../../src/core/waiting/own-channel.js';
import { clientBytes } from '../../src/expirable-semaphore/permit-ids.js';
import { lockForceRelease } from '../../src/core/wire/scripts.generated.js';

const CLIENT = '01234567-89ab-4cde-8f01-23456789abcd';
const HOLDER = `${CLIENT}:7`;

function stage() {
  const channels: string[] = [];
  const looks: string[] = [];
  const held = new Set<string>();
  const listeners: Listener[] = [];
  const channel = new OwnChannel({
    hub: {
      listen(name, listener) {
        channels.push(name);
        listeners.push(listener);
        return () => {};
      },
    },
    look(key) {
      looks.push(key);
      return held.has(key);
    },
    lookAtAll: () => looks.push('all'),
  });
  const hold = (key: string, holderId = HOLDER): void => {
    held.add(key);
    channel.held({ holderId, key });
  };
  return { channels, looks, hold, tell: (message?: string) => listeners[0]?.(message) };
}

test('a client listens from its first hold on, once, and for permits on a second channel', () => {
  const { channels, hold } = stage();
  const permit = Buffer.alloc(16, 0xff);
  permit.set(clientBytes(CLIENT));

  hold('a');
  hold('b');
  hold('c', permit.toString('hex'));
  hold('d', permit.toString('hex'));

  expect(channels).toEqual([`latchkey:${CLIENT}`, 'latchkey:0123456789ab4cde']);
});

test('scripts publish where clients listen', () => {
  const [, prefix] = /'PUBLISH', ?'([^']*)' ?\.\. ?client/u.exec(lockForceRelease.source) ?? [];

  expect(ownChannelOf(HOLDER)).toBe(`${prefix}${CLIENT}`);
});

test('whoever is told that a hold may be over asks at once', () => {
  const { looks, hold, tell } = stage();
  hold('key with spaces');

  tell('key with spaces');

  expect(looks).toEqual(['key with spaces']);
});

test('a message that comes before the grant which it is about is not lost', () => {
  const { looks, hold, tell } = stage();
  hold('other');

  tell('key');
  expect(looks).toEqual(['key']);
  hold('key');
  expect(looks).toEqual(['key', 'key']);
  hold('key');

  expect(looks).toHaveLength(2);
});

test('of messages about what is not held here the last hundred are kept', () => {
  const { looks, hold, tell } = stage();
  hold('other');
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
  const { looks, hold, tell } = stage();
  hold('key');

  tell();
  tell();

  expect(looks).toEqual(['all', 'all']);
});
