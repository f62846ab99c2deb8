import { expect, test } from 'vitest';
import type { Listener } from '../../src/core/waiting/channel-hub.js';
import { OwnChannel, ownChannels, type Held } from '../../src/core/waiting/own-channel.js';
import { lockForceRelease } from '../../src/core/wire/scripts.generated.js';
import { clientBytes } from '../../src/expirable-semaphore/permit-ids.js';
import { fakeClock } from '../support/fake-clock.js';

const CLIENT = '01234567-89ab-4cde-8f01-23456789abcd';
const HOLDS = `redlatch:${CLIENT}`;
const PERMITS = 'redlatch:0123456789ab4cde';

function stage() {
  const clock = fakeClock();
  const channels: string[] = [];
  const looks: string[] = [];
  const listeners: Listener[] = [];
  /** The looks that are under way. */
  const open: (() => void)[] = [];
  const channel = new OwnChannel(CLIENT, {
    hub: {
      listen(name, listener) {
        channels.push(name);
        listeners.push(listener);
        return () => {};
      },
    },
    clock,
    look(key, done) {
      looks.push(key);
      open.push(done);
    },
    lookAtAll: () => looks.push('all'),
    isConfirmed: () => false,
    isRefused: () => false,
    confirmed: () => {},
  });
  /** A call of the client; what it returns is its grant, which returns the end of that. */
  const ask = (key: string, kind = 'lock') => {
    const held: Held = { identity: { kind, key }, sentAt: clock.now() };
    return () => {
      channel.held(held);
      return () => channel.over(held);
    };
  };
  const hold = (key: string, kind?: string) => ask(key, kind)();
  const listening = () => {
    hold('long ago');
    clock.advance(100);
  };
  const tell = (key?: string): void => {
    listeners[0]?.(key === undefined ? key : `e${key}`);
    clock.advance(1);
  };
  const answer = () => {
    for (const done of open.splice(0)) {
      done();
    }
  };
  return { clock, channels, looks, channel, ask, hold, listening, tell, answer };
}

const KIND_OF_PERMITS = 'permit-expirable-semaphore';

test('a client listens when something was held for 100 ms, once, and for permits on a second channel', () => {
  const { clock, channels, hold } = stage();

  hold('a');
  clock.advance(99);
  expect(channels).toEqual([]);
  clock.advance(1);
  expect(channels).toEqual([HOLDS]);
  hold('b');
  hold('c', KIND_OF_PERMITS);
  hold('d', KIND_OF_PERMITS);
  clock.advance(1_000);

  expect(channels).toEqual([HOLDS, PERMITS]);
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

test('one hold that lasts is enough, however short those beside it are', () => {
  const { clock, channels, hold } = stage();
  hold('hot')();
  clock.advance(50);
  hold('lasting');
  for (let i = 0; i < 9; i += 1) {
    const release = hold('hot');
    clock.advance(10);
    release();
  }
  expect(channels).toEqual([]);

  clock.advance(10);

  expect(channels).toEqual([HOLDS]);
});

test('scripts publish where clients listen', () => {
  const channel = /own_channel ?= ?'([^']*)' ?\.\. ?'([^']*)' ?\.\. ?client/u;
  const prefix = channel.exec(lockForceRelease.source)?.slice(1).join('');
  const digits = Buffer.from(clientBytes(CLIENT)).toString('hex');

  expect(ownChannels(CLIENT)).toEqual({
    holds: `${prefix}${CLIENT}`,
    permits: `${prefix}${digits}`,
  });
});

test('whoever is told that a hold may be over asks at once', () => {
  const { looks, hold, listening, tell } = stage();
  listening();
  hold('key with spaces');

  tell('key with spaces');

  expect(looks).toEqual(['key with spaces']);
});

test('however often a client is told, it asks once at a time, and once more after that', () => {
  const { looks, hold, listening, tell, answer } = stage();
  listening();
  hold('key');
  hold('other');

  tell('key');
  tell('key');
  tell('key');
  tell('other');
  expect(looks).toEqual(['key', 'other']);
  answer();
  expect(looks).toEqual(['key', 'other', 'key']);
  answer();

  expect(looks).toHaveLength(3);
});

test('a message that comes before the grants which it is about is lost for none of them', () => {
  const { looks, ask, hold, listening, tell, answer } = stage();
  listening();
  hold('key');
  const grants = [ask('key'), ask('key')];

  tell('key');
  answer();
  expect(looks).toEqual(['key']);
  grants.forEach((grant) => grant());
  // Both grants came in one turn, and with the first one a look was under way.
  answer();
  expect(looks).toEqual(['key', 'key', 'key']);
  answer();
  hold('key');

  expect(looks).toHaveLength(3);
});

test('a grant that was under way when the channel was subscribed is looked at as well', () => {
  const { looks, ask, hold, listening, tell } = stage();
  listening();
  const grant = ask('key');

  tell();
  grant();
  hold('asked for later');

  expect(looks).toEqual(['all', 'key']);
});

test('the last hundred keys that were told are kept', () => {
  const { looks, ask, listening, tell, answer } = stage();
  listening();
  const grants = [0, 1, 100].map((i) => ask(`key ${i}`));
  for (let i = 0; i <= 100; i += 1) {
    tell(`key ${i}`);
  }
  answer();
  looks.length = 0;

  grants.forEach((grant) => grant());

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
  hold('permit', KIND_OF_PERMITS);

  channel.close();

  expect(clock.pending).toBe(0);
  clock.advance(10_000);
  expect(channels).toEqual([]);
});
