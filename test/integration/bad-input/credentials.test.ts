// Credentials that are no function, and functions where there can be none.

import { Cluster } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { createClient, createQuorumClient } from '../../../src/index.js';

const redis = { host: '127.0.0.1', port: 1 };
const give = (): string => 'x';

describe('refused when the client is made:', () => {
  const wanted = /^credentials must be a function such as async \(\{ host, port \}\) => /u;
  const fixed = 'what does not change goes into redis';

  test.each<[string, unknown, string]>([
    ['an object', { password: 's3cret' }, 'a value of type object'],
    ['a text', 's3cret', 'a value of type string'],
    ['null', null, 'null'],
  ])('credentials that are %s', (_, credentials, got) => {
    for (const make of [
      () => createClient({ redis, credentials: credentials as never }),
      () => createQuorumClient({ servers: [], credentials: credentials as never }),
    ]) {
      expect(make).toThrow(TypeError);
      expect(make).toThrow(wanted);
      expect(make).toThrow(`got ${got}: ${fixed}`);
    }
  });

  test.each<[string, object, RegExp]>([
    [
      'a function',
      { password: give },
      /^redis\.password must be a string, got a function: .*credentials/,
    ],
    [
      'a promise',
      { password: Promise.resolve('x') },
      /^redis\.password .* a promise: .*credentials/,
    ],
    ['of a user', { username: give }, /^redis\.username .* a function: .*credentials/],
    ['of a sentinel', { sentinelPassword: give }, /^redis\.sentinelPassword .* cannot change$/],
  ])('%s in the place of a password', (_, more, message) => {
    const template = { ...redis, ...more };
    const cluster = new Cluster([redis], { lazyConnect: true, redisOptions: more });
    const servers = [template, template, template];

    expect(() => createClient({ redis: template })).toThrow(message);
    expect(() => createClient({ redis: cluster })).toThrow(message);
    expect(() => createQuorumClient({ servers })).toThrow(
      new RegExp(`^servers\\[0\\]: ${message.source.slice(1)}`, 'u'),
    );
    expect(() => createClient({ redis: template })).toThrow(TypeError);
  });
});
