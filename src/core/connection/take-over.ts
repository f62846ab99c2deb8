import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { DriverRedis } from './driver-types.js';
import { headOf, Wire } from './wire.js';

/** The driver's own queues of commands: those without an answer, and those that were not written yet. */
const QUEUES = ['commandQueue', 'offlineQueue'] as const;

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
  if (!isUnpatched(driver)) {
    return undefined;
  }
  // A server that cannot save its data refuses PING alone (MISCONF), and so may the rights of a user.
  const first = (await answerTo(driver, 'PING')) ?? (await answerTo(driver, 'ECHO'));
  if (first === undefined || first.answer === 'PONG') {
    // Both are refused, or a proxy answers by itself: nothing in signing in is answered so. Or the connection
    // has ended, of which the driver tells.
    return undefined;
  }
  if (!first.isOwn || !QUEUES.every((queue) => lengthOf(driver, queue) === 0)) {
    throw mismatch();
  }
  const stream: Duplex = driver.stream;
  // The driver's own, and those of a user's `Connector`, whose bytes these are not any more.
  stream.removeAllListeners('data');
  const wire = new Wire(stream, cleaned);
  await new Promise<void>((resolve, reject) => {
    const second = randomUUID();
    wire.send(headOf([first.command, second]), [], (reply, error) => {
      if (reply === second) {
        resolve();
      } else {
        reject(error ?? mismatch());
      }
    });
  });
  return wire;
}

/** Undefined where the command is refused. A nonce of its own for each: a late answer to the one before would
 * be no answer to this one. */
async function answerTo(
  driver: DriverRedis,
  command: string,
): Promise<{ command: string; answer: unknown; isOwn: boolean } | undefined> {
  const nonce = randomUUID();
  try {
    const answer = await driver.call(command, nonce);
    return { command, answer, isOwn: answer === nonce };
  } catch {
    return undefined;
  }
}

/** Whether the driver keeps its commands where the tested versions do. */
export function isKnownDriver(driver: DriverRedis): boolean {
  return QUEUES.every((queue) => lengthOf(driver, queue) !== undefined);
}

/** Not so where a tracer has put its own function in the place of the driver's, and has to see all
 * commands, or where a version of the driver keeps its commands elsewhere. */
function isUnpatched(driver: DriverRedis): boolean {
  const sendCommand: unknown = Reflect.get(driver, 'sendCommand');
  const isOwn = typeof sendCommand === 'function' && String(sendCommand).includes(QUEUES[0]);
  return isOwn && isKnownDriver(driver);
}

function lengthOf(driver: DriverRedis, queue: (typeof QUEUES)[number]): number | undefined {
  const all: unknown = Reflect.get(driver, queue);
  const length: unknown = all instanceof Object ? Reflect.get(all, 'length') : undefined;
  return typeof length === 'number' ? length : undefined;
}

function mismatch(): Error {
  return new Error('Redis has sent a reply that is not that of the command');
}
