import { describe, expect, test } from 'vitest';
import {
  createClient,
  createQuorumClient,
  type Client,
  type ClientEvents,
} from '../../../src/index.js';
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
    ['waitMs', 0],
    ['maxWaiters', 1],
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

  test.each([[null], [true], [''], ['Strict'], [['direct']], [Symbol('strict')]])(
    'refuses a handOff that there is not: %s',
    (handOff) => {
      const error = thrown(() => create({ handOff }));

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('handOff must be one of "direct", "strict", got');
    },
  );

  test('refuses to race for locks, and says what to write', () => {
    const error = thrown(() => create({ handOff: 'race' }));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain("leave it out, or use 'strict'");
  });

  test.each([[null], [true], [''], ['Scope'], ['within'], [['explicit']], [Symbol('scope')]])(
    'refuses a reentry that there is not: %s',
    (reentry) => {
      const error = thrown(() => create({ reentry }));

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('reentry must be one of "scope", "explicit", got');
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

  test.each([
    [null, TypeError, 'label must be a string, got null'],
    [42, TypeError, 'label must be a string, got 42'],
    ['\ud83d', TypeError, 'label must be well-formed Unicode'],
    ['', RangeError, 'label must have 1 to 64 characters, got 0'],
    ['x'.repeat(65), RangeError, 'label must have 1 to 64 characters, got 65'],
    ['😀'.repeat(65), RangeError, 'label must have 1 to 64 characters, got 65'],
  ])('refuses the label %j, also of a quorum', (label, type, text) => {
    const servers = ['redis://127.0.0.1:1', 'redis://127.0.0.1:2', 'redis://127.0.0.1:3'];
    const quorum = (): unknown => createQuorumClient({ servers, label: label as string });
    for (const error of [thrown(() => create({ label })), thrown(quorum)]) {
      expect(error).toBeInstanceOf(type);
      expect(String(error)).toContain(text);
    }
  });

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
      client({ leaseMs: 100, commandTimeoutMs: 1, waitMs: 0, maxWaiters: 1 }),
      client({ leaseMs: INT32_MAX, commandTimeoutMs: INT32_MAX, waitMs: INT32_MAX }),
      create({
        redis: undefined,
        keyPrefix: undefined,
        leaseMs: undefined,
        commandTimeoutMs: undefined,
        waitMs: undefined,
        maxWaiters: undefined,
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
