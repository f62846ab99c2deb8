// Errors of the driver as they leave it: with all that says what went wrong, and nothing secret.

import { describe as group, expect, test } from 'vitest';
import { fc } from '../support/fast-check.js';
import { describe } from '../../src/core/base/key-names.js';
import { Redactor as Cleaner, withoutCredentials } from '../../src/core/base/redactor.js';
import { seeds } from '../property/seeds.js';
import { textsIn } from '../support/walk.js';

/** In every secret of these tests, and nowhere else. */
const MARK = 'S3cr3tM4rk';

const around = fc.string({ unit: 'grapheme-composite', maxLength: 6 });
const secret = fc.tuple(around, around).map(([before, after]) => before + MARK + after);

const showsMark = (value: unknown): boolean => textsIn(value).some((text) => text.includes(MARK));

class ReplyError extends Error {
  override readonly name = 'ReplyError';
}

class DriverError extends Error {}

class Redactor extends Cleaner {
  constructor(options: object) {
    super(options, (thrown) => thrown instanceof ReplyError);
  }
}

/** An error as a driver makes them: what it was told to do is attached to it. */
function errorWith(password: string, causes: readonly Error[]): Error {
  const [cause, ...others] = causes;
  const url = `redis://user:${encodeURIComponent(password)}@host:1/0?password=${password}`;
  const error = new DriverError(`cannot reach ${url} with "${password}"`, { cause });
  return Object.assign(error, {
    code: 'ECONNREFUSED',
    errno: -111,
    syscall: 'connect',
    address: '127.0.0.1',
    port: 1,
    command: { name: 'auth', args: ['user', password] },
    input: url,
    [Symbol('options')]: { password },
    lastNodeError: others[0],
    previousErrors: others,
    errors: others,
  });
}

const failure = fc.letrec<{ error: (password: string) => Error }>((tie) => ({
  error: fc.array(tie('error'), { maxLength: 2, size: '-1', depthIdentifier: 'errors' }).map(
    (inner) => (password: string) =>
      errorWith(
        password,
        inner.map((make) => make(password)),
      ),
  ),
})).error;

test.each(seeds)(
  'whatever an error has, and the errors in it, none of it is secret: %i',
  (seed) => {
    fc.assert(
      fc.property(secret, failure, (password, make) => {
        const clean = new Redactor({ username: 'user', password }).error(make(password));

        expect(showsMark(clean)).toBe(false);
        expect(clean).toMatchObject({ code: 'ECONNREFUSED', errno: -111, syscall: 'connect' });
        expect(clean).toMatchObject({ address: '127.0.0.1', port: 1 });
        expect(clean).toBeInstanceOf(DriverError);
        expect(clean.message).toMatch(/^cannot reach redis:\/\/\*\*\*@/);
      }),
      { seed, numRuns: 40 },
    );
  },
);

test.each(seeds)(
  'secrets are found in options at any depth, in messages in any form: %i',
  (seed) => {
    fc.assert(
      fc.property(secret, (password) => {
        const pem = `-----BEGIN PRIVATE KEY-----\n${password.repeat(3)}\n-----END PRIVATE KEY-----`;
        const templates = [
          { password },
          { username: password },
          { sentinelPassword: password },
          { tls: { key: [Buffer.from(password)], passphrase: password } },
          { sentinelTLS: { pfx: [{ buf: 'x', passphrase: password }] } },
          { sentinels: [{ host: 'h', port: 1, password }] },
          { tls: { key: pem }, password },
        ];
        for (const template of templates) {
          const redactor = new Redactor(template);
          for (const form of [password, encodeURIComponent(password), JSON.stringify(password)]) {
            expect(showsMark(redactor.error(new Error(`no: ${form} .`)))).toBe(false);
          }
        }
      }),
      { seed, numRuns: 40 },
    );
  },
);

test('a line of a private key is secret also where it is the last and a short one', () => {
  const last = MARK.padEnd(16, '=');
  const key = `-----BEGIN PRIVATE KEY-----\n${'k'.repeat(64)}\n${last}\n-----END PRIVATE KEY-----`;

  const clean = new Redactor({ tls: { key } }).error(new Error(`no good line: ${last}`));

  expect(showsMark(clean)).toBe(false);
});

group('an error that was cleaned', () => {
  const redactor = new Redactor({ username: 'ann', password: MARK });

  test('keeps its class, its stack and its causes, and is the same when it comes again', () => {
    const cause = new TypeError('why');
    const error = new DriverError('what', { cause });

    const clean = redactor.error(error);

    expect(clean).toBeInstanceOf(DriverError);
    expect(clean).not.toBe(error);
    expect(clean.stack).toBe(error.stack);
    expect(clean.cause).toBeInstanceOf(TypeError);
    expect(clean.cause).toMatchObject({ message: 'why', stack: cause.stack });
    expect(redactor.error(error)).toBe(clean);
  });

  test('may be its own cause', () => {
    const error = new Error('round', {});
    error.cause = error;

    const clean = redactor.error(error);

    expect(clean.cause).toBe(clean);
  });

  test('was left as it is where it was made', () => {
    const command = { name: 'auth', args: [MARK] };
    const error = Object.freeze(Object.assign(new Error(MARK), { command }));

    redactor.error(error);

    expect(error).toMatchObject({ message: MARK, command });
  });

  test('keeps what the server says is wrong, whatever the password is', () => {
    const replies = [
      'WRONGPASS invalid username-password pair',
      'MOVED 7001 127.0.0.1:7001',
      'ASK 7001 127.0.0.1:7001',
      'WRONGTYPE no',
      'NOSCRIPT No matching script',
    ];
    for (const password of ['7001', 'WRONGPASS', 'WRONGTYPE', 'MOVED', 'ASK', 'NOSCRIPT']) {
      const careful = new Redactor({ password });
      const codes = replies.map((reply) => careful.error(new ReplyError(reply)).message);
      expect(codes.map((code) => code.split(' ', 1))).toEqual(
        replies.map((reply) => reply.split(' ', 1)),
      );
      expect(codes.slice(1, 3)).toEqual(replies.slice(1, 3));
    }
  });

  test('does not repeat what a server that knows no AUTH was told', () => {
    const long = MARK.repeat(20);
    const reply = `ERR unknown command 'AUTH', with args beginning with: 'ann' '${long.slice(0, 90)}`;

    const { message } = new Redactor({ password: long }).error(new ReplyError(reply));

    expect(message).toBe("ERR unknown command 'AUTH', with args beginning with: ***");
  });

  test('is readable where a user or a password is a short word', () => {
    const careful = new Redactor({ username: 'er', password: 'a' });

    expect(careful.error(new Error('a server is never a user')).message).toBe(
      '*** server is never *** user',
    );
    expect(new Redactor({ username: 'default' }).error(new Error('default')).message).toBe(
      'default',
    );
  });

  test.each([['text'], [undefined], [null], [5], [{ password: MARK }], [Symbol('x')]])(
    'is an error also when none was thrown: %s',
    (thrown) => {
      const clean = redactor.error(thrown);

      expect(clean).toBeInstanceOf(Error);
      expect(showsMark(clean)).toBe(false);
    },
  );

  test('has no getter that could still tell', () => {
    const error = new Error('x');
    Object.defineProperty(error, 'code', { get: () => MARK, enumerable: true });
    Object.defineProperty(error, 'cause', {
      get: () => {
        throw new Error(MARK);
      },
    });

    const clean = redactor.error(error);

    expect(showsMark(clean)).toBe(false);
    expect(clean).toMatchObject({ code: '***' });
  });
});

test('a URL in a message has neither user, password nor query', () => {
  expect(withoutCredentials(`redis://ann:${MARK}@host:1/2?x=${MARK}#${MARK}`)).toBe(
    'redis://***@host:1/2?***',
  );
  expect(withoutCredentials('redis://host:1/2')).toBe('redis://host:1/2');
  expect(describe(`http://ann:p@ss w/${MARK}@host`)).toBe('"http://***@host"');
  expect(describe('night-job')).toBe('"night-job"');
});

test('a secret with a quotation mark in it is found inside a longer text in JSON', () => {
  const password = `a"${MARK}`;
  const shown = new Error(JSON.stringify({ sent: `AUTH ${password} now` }));

  expect(new Redactor({ password }).error(shown).message).not.toContain(MARK);
});
