import { describe, expect, test } from 'vitest';
import { fixture } from '../../contract/fixture.js';
import { readLock, writeLock } from '../../support/kinds/locks.js';
import { objectKinds } from '../../support/kinds/objects.js';
import { thrown } from './bad-input.js';

const { client, name, raw } = fixture('bad-names');

describe.each([...objectKinds, readLock, writeLock])('$id', ({ get }) => {
  test.each([[undefined], [null], [42], [true], [5n], [{}], [['a']], [Symbol('a')], [() => 'a']])(
    'refuses a name that is no string: %s',
    (value) => {
      const error = thrown(() => get(client(), value as unknown as string));

      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('name must be a string');
    },
  );

  test.each([['\ud800'], ['a\udc00b'], ['\udc00\ud800']])('refuses half a character', (value) => {
    const error = thrown(() => get(client(), value));

    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain('name');
  });

  test.each([
    ['nothing', '', 0],
    ['513 bytes', 'a'.repeat(513), 513],
    ['257 characters of two bytes', 'é'.repeat(257), 514],
    ['129 characters of four bytes', '😀'.repeat(129), 516],
  ])('refuses a name of %s', (_, value, bytes) => {
    const error = thrown(() => get(client(), value));

    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toContain(`name must have 1 to 512 bytes in UTF-8, got ${bytes}`);
  });

  test.each(
    '{ } a{ }a }{ {a a} {a}} {{a} {{a}} a{b}c} {} a{}b {}{a} {a}{b} {a}b{c} {a}{'.split(' '),
  )('refuses a name that could fall into two slots: %s', (value) => {
    const error = thrown(() => get(client(), value));

    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toContain('name must have no braces or one hash tag');
    expect(String(error)).toContain(JSON.stringify(value));
  });

  const unusual = ['a', ' ', '{a}', '{a}rest', 'a:{tag}:b', 'a b\n\t', '*?[x]', 'mode', 'ключ'];
  const longest = ['a'.repeat(512), 'é'.repeat(256), '😀'.repeat(128)];

  test.each([...unusual, ...longest, '\u0000'])('takes a name that is unusual: %j', (value) => {
    expect(get(client(), value).name).toBe(value);
  });

  test('a tag in the key prefix and one in the name are refused together', () => {
    const own = client({ keyPrefix: '{tenant}:' });

    const error = thrown(() => get(own, 'a:{b}'));

    expect(error).toBeInstanceOf(RangeError);
    expect(String(error)).toContain('"{tenant}:a:{b}"');
    expect(get(own, 'a').name).toBe('a');
  });

  test.each(['{', '}', '{}', '{a}{b}', 'a}'])(
    'with the key prefix %s every name is refused',
    (keyPrefix) => {
      expect(thrown(() => get(client({ keyPrefix }), 'a'))).toBeInstanceOf(RangeError);
    },
  );

  test('a client that was closed still names objects', async () => {
    const own = client();
    await own.close();

    expect(get(own, 'a').name).toBe('a');
    expect(thrown(() => get(own, ''))).toBeInstanceOf(RangeError);
  });
});

test('a tag in the key prefix is the tag of every key', async () => {
  const prefix = `{${name()}}:`;
  const own = client({ keyPrefix: prefix });
  const hold = await own.getFencedLock('a').acquire();
  const token = `redisson_lock_token:${prefix}a`;

  const keys = await Promise.all([raw.exists(`${prefix}a`), raw.exists(token)]);

  expect(keys).toEqual([1, 1]);
  await hold.release();
  await raw.del(token);
});

test('a name of 512 bytes of any kind of characters works', async () => {
  const own = client();
  const start = name();
  const long = start + '😀'.repeat(Math.floor((512 - start.length) / 4));
  const lock = own.getLock(long.padEnd(long.length + (512 - Buffer.byteLength(long)), 'a'));

  const hold = await lock.acquire();

  expect(Buffer.byteLength(lock.name)).toBe(512);
  expect(await raw.hgetall(lock.name)).toEqual({ [hold.holderId]: '1' });
  await hold.release();
});
