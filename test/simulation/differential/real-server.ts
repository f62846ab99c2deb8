// The real server, asked in the terms of the simulated one: strings with a character for each byte.

import type { Redis } from 'ioredis';
import { type Reply, ReplyError } from '../../../src/testing/keyspace/reply.js';
import { rawClient } from '../../support/redis.js';

function toReply(value: unknown): Reply {
  if (Buffer.isBuffer(value)) {
    return value.toString('latin1');
  }
  if (Array.isArray(value)) {
    return value.map(toReply);
  }
  if (value instanceof Error) {
    return new ReplyError(value.message);
  }
  if (typeof value === 'string') {
    // An integer: every text is a buffer.
    return Number(value);
  }
  if (value === null) {
    return null;
  }
  throw new TypeError(`no reply: ${JSON.stringify(value)}`);
}

/** In small letters the driver makes objects of these, which know no binary fields. */
const CHANGED_BY_DRIVER = new Set(['hset', 'hgetall']);

export class RealServer {
  readonly #client: Redis;

  constructor(url: string) {
    this.#client = rawClient(url, { protocol: 2, stringNumbers: true });
  }

  /** Sends all commands in one go. A status comes back as a string. */
  async run(commands: readonly (readonly string[])[]): Promise<Reply[]> {
    const pipeline = this.#client.pipeline();
    for (const [name = '', ...rest] of commands) {
      const args = rest.map((arg) => Buffer.from(arg, 'latin1'));
      pipeline.callBuffer(CHANGED_BY_DRIVER.has(name) ? name.toUpperCase() : name, ...args);
    }
    const results = (await pipeline.exec()) ?? [];
    return results.map(([error, value]) => toReply(error ?? value));
  }
}

/** What TIME answered, in ms of the wall clock, with fractions. */
export function timeOf(reply: Reply | undefined): number {
  if (!Array.isArray(reply)) {
    throw new TypeError(`no time: ${JSON.stringify(reply)}`);
  }
  return (Number(reply[0]) * 1e6 + Number(reply[1])) / 1000;
}
