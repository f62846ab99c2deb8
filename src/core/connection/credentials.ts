import { whenSettled } from '../base/async-context.js';
import { checkInteger } from '../base/arguments.js';
import { deadline, type Clock } from '../base/clock.js';
import type {
  Credentials,
  CredentialsOrigin,
  CredentialsSource,
} from '../base/credentials-options.js';
import { requestLater } from '../base/program-calls.js';
import { asError } from '../wire/replies.js';
import { addressOf } from './access.js';
import type { Address } from './driver-types.js';

/** In 2001: any instant of now in seconds, not milliseconds, is before. */
const FIRST_INSTANT_MS = 1_000_000_000_000;
/** The last instant that a date can have. */
const LAST_INSTANT_MS = 8_640_000_000_000_000;

function typeOf(value: unknown): string {
  // The value itself may be a password.
  return value === null ? 'null' : `a value of type ${typeof value}`;
}

/** Returns the function that gives credentials, or undefined; throws a TypeError for anything else. */
export function checkSource(value: unknown): CredentialsSource | undefined {
  if (value === undefined || isSource(value)) {
    return value;
  }
  const wanted = 'credentials must be a function such as async ({ host, port }) => ({ password })';
  throw new TypeError(`${wanted}, got ${typeOf(value)}: what does not change goes into redis`);
}

function isSource(value: unknown): value is CredentialsSource {
  return typeof value === 'function';
}

/**
 * Requests the credentials for a server. Rejects with an error that names them when the function fails, when it has
 * not answered within `limitMs`, and when its answer is none.
 */
export async function askForCredentials(
  origin: CredentialsOrigin,
  { host, port }: Address,
  clock: Clock,
  limitMs: number,
): Promise<Credentials> {
  const what = `${origin.title} for ${addressOf(port === 0 ? { path: host } : { host, port })}`;
  const given = await new Promise<unknown>((resolve, reject) => {
    const limit = deadline(clock, limitMs, () => {
      reject(new Error(`${what}: the function has not answered within ${limitMs} ms`));
    });
    whenSettled(
      requestLater(() => origin.ask({ host, port })),
      (answer) => {
        limit.cancel();
        resolve(answer);
      },
      (error: unknown) => {
        limit.cancel();
        reject(new Error(`${what}: ${asError(error).message}`, { cause: error }));
      },
    );
  });
  return checkCredentials(what, given, origin.mayBeNone);
}

function checkCredentials(what: string, given: unknown, mayBeNone: boolean): Credentials {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`${what} must be an object such as { password }, got ${typeOf(given)}`);
  }
  const { username, password, expiresAtMs } = given as { [K in keyof Credentials]?: unknown };
  return {
    username: username === undefined ? undefined : checkSecret(`${what}: username`, username),
    password: mayBeNone && password === '' ? '' : checkSecret(`${what}: password`, password),
    expiresAtMs:
      expiresAtMs === undefined
        ? undefined
        : // It may have passed by the clock of this machine alone: the server decides.
          checkInteger(`${what}: expiresAtMs`, expiresAtMs, FIRST_INSTANT_MS, LAST_INSTANT_MS),
  };
}

function checkSecret(argument: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') {
    const got = value === '' ? 'an empty one' : typeOf(value);
    throw new TypeError(`${argument} must be a string of at least one character, got ${got}`);
  }
  return value;
}
