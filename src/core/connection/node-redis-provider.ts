import type { CredentialsOrigin } from '../base/credentials-options.js';
import { fieldsOf, isAbsent, isFields, type Fields } from './node-redis-fields.js';

interface AsyncProvider {
  credentials(): unknown;
}

function isAsyncProvider(value: Fields): value is Fields & AsyncProvider {
  return value.type === 'async-credentials-provider' && typeof value.credentials === 'function';
}

/** Whether node-redis begins its connections with `HELLO 3`, which version 6 does by default. Clients of later versions
 * have that in `maintNotifications`, too, unless these are off; a cluster has it nowhere. */
export function speaksThree({ RESP, maintNotifications }: Fields): boolean {
  const isOpen = (RESP ?? null) === null;
  return RESP === 3 || (isOpen && ['auto', 'enabled'].some((each) => each === maintNotifications));
}

/** A provider that node-redis asks before each connection, too. Versions 5 and 6 make one of a username and a password,
 * and nothing tells it from one of the program, which would win over both. */
export function providerOf(source: Fields): CredentialsOrigin | undefined {
  if ((source.credentialsProvider ?? null) === null) {
    return undefined;
  }
  const provider = fieldsOf(source.credentialsProvider);
  if (!isAsyncProvider(provider)) {
    throw new TypeError(
      'redis.credentialsProvider is one that sends credentials by itself, without their end: ' +
        'give the option credentials, a function such as async () => ({ username, password, expiresAtMs })',
    );
  }
  const isThree = speaksThree(source);
  return {
    title: 'redis.credentialsProvider',
    mayBeNone: true,
    ask: async () => withoutPassword(await provider.credentials(), isThree),
  };
}

/** Reads what a provider has given as node-redis does: without a password `HELLO 3` signs nobody in, and `AUTH` signs
 * the user in with an empty one. */
function withoutPassword(given: unknown, isThree: boolean): unknown {
  if (!isFields(given)) {
    return given;
  }
  const { username, password, expiresAtMs } = given;
  const user = isAbsent(username) ? undefined : username;
  return isAbsent(password)
    ? { username: isThree ? undefined : user, password: '' }
    : { username: user, password, expiresAtMs };
}
