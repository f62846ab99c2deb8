import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { DriverRedis } from './driver-types.js';
import { Wire } from './wire.js';

/** The driver's own rows of commands: those without an answer, and those that were not written yet. */
const ROWS = ['commandQueue', 'offlineQueue'] as const;

/**
 * Takes the socket of a connection that is ready, so that commands are written to it, and replies read
 * from it, past the driver, which still tells of its end. Resolves with undefined where the connection has
 * to be used through the driver; rejects when replies do not match their commands: it must be ended then.
 *
 * `ready` may come while replies to signing in are on their way (ioredis 5 with `enableReadyCheck: false`).
 * A reply that is taken for that of the next command would let two clients have one lock. So an answer
 * that nothing else gives has to come first, while nothing else is under way; and a second one after it.
 */
export async function takeOver(
  driver: DriverRedis,
  cleaned: (error: Error) => Error,
): Promise<Wire | undefined> {
  if (!isAsKnown(driver)) {
    return undefined;
  }
  const nonce = randomUUID();
  let answer: unknown;
  try {
    answer = await driver.call('PING', nonce);
  } catch {
    // Refused; or the connection has ended, of which the driver tells.
    return undefined;
  }
  if (answer !== nonce || !ROWS.every((row) => lengthOf(driver, row) === 0)) {
    throw mismatch();
  }
  const stream: Duplex = driver.stream;
  stream.removeAllListeners('data');
  const wire = new Wire(stream, cleaned);
  await new Promise<void>((resolve, reject) => {
    const second = randomUUID();
    wire.send('PING', [second], (reply, error) => {
      if (reply === second) {
        resolve();
      } else {
        reject(error ?? mismatch());
      }
    });
  });
  return wire;
}

/** Not so where a tracer has put its own function in the place of the driver's, and has to see all
 * commands, or where a version of the driver keeps its commands elsewhere. */
function isAsKnown(driver: DriverRedis): boolean {
  const source = Function.prototype.toString.call(Reflect.get(driver, 'sendCommand'));
  return source.includes(ROWS[0]) && ROWS.every((row) => lengthOf(driver, row) !== undefined);
}

function lengthOf(driver: DriverRedis, row: (typeof ROWS)[number]): number | undefined {
  const all: unknown = Reflect.get(driver, row);
  const length: unknown = all instanceof Object ? Reflect.get(all, 'length') : undefined;
  return typeof length === 'number' ? length : undefined;
}

function mismatch(): Error {
  return new Error('Redis has sent a reply that is not that of the command');
}
