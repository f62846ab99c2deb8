import { PRODUCT_NAME } from './constants.generated.js';
import { withoutCredentials } from './redactor.js';

const NAME_BYTES_MAX = 512;
const LABEL_MAX = 64;

/** What the name of the channel begins with on which one client alone is told something. */
export const OWN_CHANNEL: string = `${PRODUCT_NAME}:`;

/** Whether it is in no slot: the one for all of a client is not, and that for one lock is where the lock
 * is. */
export function isOwnChannel(channel: string): boolean {
  return channel.startsWith(OWN_CHANNEL) && !channel.includes('{');
}

/** The channel of the messages of one connection to itself; `beside`: in the slot of that channel. */
export function selfChannel(id: string, beside: string | undefined): string {
  const prefix = `${PRODUCT_NAME}_self`;
  const tag = beside === undefined ? '' : `${/\{[^{}]+\}/u.exec(beside)?.[0] ?? `{${beside}}`}:`;
  return `${prefix}:${tag}${id}`;
}

/** The channel on which a client is told of one lock, in the slot of that. */
export function ownLockChannel(clientId: string, key: string): string {
  return inFront(OWN_CHANNEL + clientId, key);
}

/** At most one hash tag, not empty: any other braces could put an object's keys in two slots. */
const ONE_TAG_AT_MOST = /^[^{}]*(?:\{[^{}]+\}[^{}]*)?$/;

/** The form of the private keys of this library: no object can have such a name. */
const PRIVATE_KEY = new RegExp(`^${PRODUCT_NAME}_[a-z]+:[^{]*\\{`);

/** A name that is one hash tag and nothing else. */
const ALL_TAG = /^\{([^{}]+)\}$/;

const LONE_SURROGATE = /\p{Surrogate}/u;

function checkText(argument: string, value: unknown): string {
  if (typeof value !== 'string') {
    throw new TypeError(`${argument} must be a string, got ${describe(value)}`);
  }
  if (LONE_SURROGATE.test(value)) {
    throw new TypeError(`${argument} must be well-formed Unicode, got ${describe(value)}`);
  }
  return value;
}

/** A value as a message shows it. A URL may have been passed anywhere, so passwords are hidden. */
export function describe(value: unknown): string {
  if (typeof value === 'string') {
    return JSON.stringify(withoutCredentials(value));
  }
  if (value === null || value === undefined || typeof value === 'number') {
    return String(value);
  }
  return typeof value === 'bigint' ? `${value}n` : `a value of type ${typeof value}`;
}

/** Checks the prefix that goes in front of every name. */
export function checkKeyPrefix(argument: string, value: unknown): string {
  return checkText(argument, value);
}

/** Checks the label of a client; without one it is that of the process. */
export function checkLabel(value: unknown): string {
  if (value === undefined) {
    return Array.from(process.title).slice(0, LABEL_MAX).join('');
  }
  const label = checkText('label', value);
  const { length } = Array.from(label);
  if (length === 0 || length > LABEL_MAX) {
    throw new RangeError(`label must have 1 to ${LABEL_MAX} characters, got ${length}`);
  }
  return label;
}

/** Checks a name and returns the key of its object: prefix and name together. */
export function objectKey(keyPrefix: string, value: unknown): string {
  const name = checkText('name', value);
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > NAME_BYTES_MAX) {
    throw new RangeError(`name must have 1 to ${NAME_BYTES_MAX} bytes in UTF-8, got ${bytes}`);
  }
  const key = keyPrefix + name;
  if (!ONE_TAG_AT_MOST.test(key)) {
    throw new RangeError(
      `name must have no braces or one hash tag such as "{tag}rest", got ${describe(key)}`,
    );
  }
  if (PRIVATE_KEY.test(key)) {
    throw new RangeError(
      `name must be none that this library keeps for itself ("${PRODUCT_NAME}_...:{...}"), ` +
        `got ${JSON.stringify(key)}`,
    );
  }
  return key;
}

/** The other name that has the same side keys in Redisson: `y` for `{y}`, and `{y}` for `y`. */
export function twinOf(key: string): string | undefined {
  return key.includes('{') ? ALL_TAG.exec(key)?.[1] : `{${key}}`;
}

/** A private key of a name: no other name has it, and it is in the slot of the name. */
export function privateKey(word: string, key: string): string {
  const prefix = `${PRODUCT_NAME}_${word}`;
  // The braces at the end keep `y` and `{y}` apart: no name has a second pair of braces, and only
  // the first pair decides the slot.
  return ALL_TAG.test(key) ? `${prefix}:${key}{}` : inFront(prefix, key);
}

/** The private key of the record of a client's counted calls on one object. */
export function requestsKey(key: string, clientId: string): string {
  return `${privateKey('requests', key)}:${clientId}`;
}

/** Redisson's rule for a side key or channel in front of the name: `prefix:{key}`. */
export function prefixed(prefix: `redisson_${string}`, key: string): string {
  return inFront(prefix, key);
}

/** Joined, not added: V8 keeps the sum of long texts as a chain of its parts, which takes more room, and
 * these are kept as long as the object. */
function inFront(prefix: string, key: string): string {
  return (key.includes('{') ? [prefix, key] : [prefix, `{${key}}`]).join(':');
}

/** Redisson's rule for a side key behind the name: `{key}:suffix`. */
export function suffixed(key: string, suffix: string): string {
  return key.includes('{') ? `${key}:${suffix}` : `{${key}}:${suffix}`;
}
