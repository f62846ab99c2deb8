import { afterAll, expect, test } from 'vitest';
import type { Client, ClientEvents } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { expectNoChannels, expectNoResidue } from '../../support/residue.js';
import { testScope } from '../../support/scope.js';

const scope = testScope('listeners');

afterAll(async () => {
  await expectNoResidue(scope.prefix, { allow: [/^redlatch_(?:cancelled|requests|opened):/] });
  await expectNoChannels(scope.prefix);
});

const silent = (): void => undefined;

/** One grant and one release, which tell `acquired` and `released`. */
async function cycle(client: Client): Promise<void> {
  await client.getLock(scope.name()).using(() => undefined);
}

test('a listener that throws harms neither the call nor the other listeners', async () => {
  const client = scope.client();
  const [seen, errors]: [string[], Error[]] = [[], []];
  const failure = new Error('in a listener');
  client.on('acquired', () => {
    throw failure;
  });
  client.on('acquired', ({ resource }) => seen.push(resource));
  client.on('error', ({ error }) => errors.push(error));
  const lock = client.getLock(scope.name());

  const result = await lock.using(() => 'done');

  expect(result).toBe('done');
  expect(seen).toEqual([lock.name]);
  expect(errors).toEqual([failure]);
});

test('the rejection of an asynchronous listener becomes an error event', async () => {
  const client = scope.client();
  const errors: Error[] = [];
  const failure = new Error('in an asynchronous listener');
  const listener: unknown = async () => await Promise.reject(failure);
  client.on('released', listener as () => void);
  client.on('error', ({ error }) => errors.push(error));

  await cycle(client);

  await eventually(() => errors.length > 0);
  expect(errors).toEqual([failure]);
});

test('what a listener throws without being an error is told as one', async () => {
  const client = scope.client();
  const errors: Error[] = [];
  client.on('acquired', () => {
    // oxlint-disable-next-line typescript/only-throw-error
    throw 'a word';
  });
  client.on('error', ({ error }) => errors.push(error));

  await cycle(client);

  expect(errors).toHaveLength(1);
  expect(errors[0]).toBeInstanceOf(Error);
  expect(errors[0]?.message).toContain('a word');
});

test('an error listener that throws is called once per error and harms nobody', async () => {
  const client = scope.client();
  let calls = 0;
  client.on('acquired', () => {
    throw new Error('first');
  });
  client.on('error', () => {
    calls += 1;
    throw new Error('second');
  });

  await cycle(client);

  expect(calls).toBe(1);
});

test('one throwing listener of an event and of errors is not called for ever', async () => {
  const client = scope.client();
  let calls = 0;
  const listener = (): void => {
    calls += 1;
    throw new Error('always');
  };
  client.on('acquired', listener);
  client.on('error', listener);

  await cycle(client);

  expect(calls).toBe(2);
});

test('one throwing listener of errors and of an event reports what the event did to it', async () => {
  const client = scope.client();
  const errors: Error[] = [];
  const failure = new Error('in a listener of two events');
  const listener = (event: object): void => {
    if ('resource' in event) {
      throw failure;
    }
  };
  client.on('error', listener);
  client.on('acquired', listener);
  client.on('error', ({ error }) => errors.push(error));

  await cycle(client);

  expect(errors).toEqual([failure]);
});

test('a throwing listener without error listeners is silent', async () => {
  const client = scope.client();
  client.on('acquired', () => {
    throw new Error('nobody listens');
  });

  await expect(cycle(client)).resolves.toBeUndefined();
});

test('once is called for one event only', async () => {
  const client = scope.client();
  let calls = 0;
  client.once('acquired', () => {
    calls += 1;
  });

  await cycle(client);
  await cycle(client);

  expect(calls).toBe(1);
});

test('off removes the listener it names, also one registered by once, and no other', async () => {
  const client = scope.client();
  const calls: string[] = [];
  const listeners = ['a', 'b', 'c'].map((word) => (): void => {
    calls.push(word);
  });
  client.on('acquired', listeners[0]!);
  client.once('acquired', listeners[1]!);
  client.on('acquired', listeners[2]!);

  client.off('acquired', listeners[0]!);
  client.off('acquired', listeners[1]!);
  await cycle(client);

  expect(calls).toEqual(['c']);
});

test('off with a listener that was never registered removes nothing', async () => {
  const client = scope.client();
  let calls = 0;
  client.on('acquired', () => {
    calls += 1;
  });

  client.off('acquired', () => undefined);
  await cycle(client);

  expect(calls).toBe(1);
});

test('a listener of two events that is taken off one still hears the other', async () => {
  const client = scope.client();
  const heard: string[] = [];
  const listener = (event: object): void => {
    heard.push('waitedMs' in event ? 'acquired' : 'released');
  };
  client.on('acquired', listener).on('released', listener);

  client.off('acquired', listener);
  await cycle(client);

  expect(heard).toEqual(['released']);
});

test('on, once and off return the client', () => {
  const client = scope.client();

  const results = [
    client.on('lost', silent),
    client.once('lost', silent),
    client.off('lost', silent),
  ];

  expect(results.every((result) => result === client)).toBe(true);
});

test.each([['on'], ['once']] as const)('%s refuses what is no function', (method) => {
  const client = scope.client();

  expect(() => client[method]('lost', 'word' as unknown as ClientEvents['lost'])).toThrow(
    TypeError,
  );
});
