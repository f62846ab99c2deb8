import { describe, expect, test } from 'vitest';
import { createClient, type Client, type ClientEvents } from '../../../src/index.js';
import { fixture, rejection } from '../../contract/fixture.js';
import { badIntegers, expectInteger, INT32_MAX, thrown } from './bad-input.js';

const { client, name } = fixture('bad-client');

/** Calls createClient as a program without types would. */
function create(options: unknown): Client {
  return createClient(options as Parameters<typeof createClient>[0]);
}

describe('createClient', () => {
  test.each([[null], [42], [true], [[]], [() => ({})]])(
    'refuses options that are no object: %s',
    (options) => {
      const error = thrown(() => create(options));

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('options must be an object');
    },
  );

  test.each([
    ['leaseMs', 100],
    ['commandTimeoutMs', 1],
    ['stalledAfterMs', 1],
  ])('refuses a %s that is no integer in its range', (argument, min) => {
    for (const bad of badIntegers(min, INT32_MAX)) {
      const error = thrown(() => create({ [argument]: bad.value }));
      expectInteger(error, argument, [min, INT32_MAX], bad);
    }
  });

  test.each([[null], [true], [1], [''], ['OFF'], ['Auto'], ['yes'], [['on']], [Symbol('on')]])(
    'refuses a shardedSubscriptionMode that there is not: %s',
    (shardedSubscriptionMode) => {
      const error = thrown(() => create({ shardedSubscriptionMode }));

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain(
        'shardedSubscriptionMode must be one of "auto", "on", "off", got',
      );
    },
  );

  test.each([[null], [42], [{}], [[]], [true], [Symbol('prefix')]])(
    'refuses a keyPrefix that is no string: %s',
    (keyPrefix) => {
      const error = thrown(() => create({ keyPrefix }));

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('keyPrefix must be a string');
    },
  );

  test('refuses a keyPrefix that is no text', () => {
    const error = thrown(() => create({ keyPrefix: 'half a pair \ud800' }));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('keyPrefix');
  });

  test.each([[null], [42], [true], [[]], [() => ({})], [''], ['127.0.0.1:6379'], ['http://host']])(
    'refuses a redis that is no address and no template: %s',
    (redis) => {
      const error = thrown(() => create({ redis }));

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('redis must be');
    },
  );

  test.each([
    ['role', { role: 'slave' }],
    ['monitor', { monitor: true }],
  ])('refuses a template whose %s would change what a call means', (option, redis) => {
    const error = thrown(() => create({ redis }));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(`redis.${option}`);
  });

  test('takes the smallest and the largest values, and undefined for a default', async () => {
    const clients = [
      client({ leaseMs: 100, commandTimeoutMs: 1 }),
      client({ leaseMs: INT32_MAX, commandTimeoutMs: INT32_MAX }),
      create({
        redis: undefined,
        keyPrefix: undefined,
        leaseMs: undefined,
        commandTimeoutMs: undefined,
        shardedSubscriptionMode: undefined,
      }),
      createClient(),
    ];

    const ids = new Set(clients.map(({ id }) => id));

    expect(ids.size).toBe(4);
    await Promise.all(clients.map(async (each) => await each.close()));
  });
});

describe('close', () => {
  test('refuses a timeoutMs that is no integer in its range, and stays open', async () => {
    const own = client();

    for (const bad of badIntegers(0, INT32_MAX)) {
      const options = { timeoutMs: bad.value } as { timeoutMs: number };
      const error = await rejection(own.close(options));
      expectInteger(error, 'timeoutMs', [0, INT32_MAX], bad);
    }

    expect(await own.getLock(name()).isLocked()).toBe(false);
  });

  test.each([[null], [5], ['now'], [[]]])('refuses options that are no object: %s', async (bad) => {
    const own = client();

    const error = await rejection(own.close(bad as unknown as { timeoutMs: number }));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('options must be an object');
    expect(await own.getLock(name()).isLocked()).toBe(false);
  });

  test('may be called again and again', async () => {
    const own = client();

    await Promise.all([own.close(), own.close({ timeoutMs: 1_000 }), own[Symbol.asyncDispose]()]);
    await own.close();

    expect(await rejection(own.getLock(name()).isLocked())).toMatchObject({ code: 'ERR_CLOSED' });
  });
});

describe('listeners', () => {
  test.each([[null], [undefined], [42], ['name'], [{}]])(
    'what is no function is refused: %s',
    (listener) => {
      const own = client();
      const bad = listener as unknown as ClientEvents['lost'];

      const errors = [thrown(() => own.on('lost', bad)), thrown(() => own.once('lost', bad))];

      for (const error of errors) {
        expect(error).toBeInstanceOf(TypeError);
        expect(String(error)).toContain('listener must be a function');
      }
    },
  );
});
