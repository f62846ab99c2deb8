// What a server has of one object, as lines of text that are equal when the bytes are: only what
// differs from run to run (ids, names, instants) has a placeholder.

import type { Redis } from 'ioredis';
import { keysUnder } from '../../support/redis.js';

/** Times that occur, in seconds. Each stands for itself and what is left of it a little later. */
const TIMES_S = [6, 20, 30, 60, 100, 130, 200, 330, 600, 605, 630, 1800, 86_400, 2_592_000];

/** Java's word for never, in a permit's score. */
const NEVER = '922337203685477';

/** What is left of a time that began a short while ago. */
function about(ms: number): string {
  const time = TIMES_S.find(
    (seconds) => ms <= seconds * 1000 + 50 && ms > seconds * 1000 - Math.min(20_000, seconds * 700),
  );
  if (ms <= 0) {
    return 'the past';
  }
  return time === undefined ? `${ms} ms, which is none of the times that occur` : `${time} s`;
}

/** Key -> the lines about it. Of private records no more than that they are there, and for how long. */
export async function stateOf(raw: Redis, name: string): Promise<Map<string, string[]>> {
  const state = new Map<string, string[]>();
  for (const key of await keysUnder(name, raw)) {
    const [type, ttl] = await Promise.all([raw.type(key), raw.pttl(key)]);
    if (type !== 'none') {
      const life = ttl === -1 ? 'for ever' : about(ttl);
      const values = key.startsWith('redlatch_') ? [] : await valuesOf(raw, key, type);
      state.set(key, [`${key} ${type} ${life}`, ...values]);
    }
  }
  return state;
}

async function valuesOf(raw: Redis, key: string, type: string): Promise<string[]> {
  switch (type) {
    case 'string':
      return [`${key} = ${await raw.get(key)}`];
    case 'hash': {
      const fields = Object.entries(await raw.hgetall(key));
      return fields.map(([field, value]) => `${key} ${field} = ${value}`);
    }
    case 'list': {
      const members = await raw.lrange(key, 0, -1);
      return members.map((member, i) => `${key} ${i} = ${member}`);
    }
    default:
      return await scoresOf(raw, key);
  }
}

/** Members of a sorted set, whose scores are instants; they may be any bytes. */
async function scoresOf(raw: Redis, key: string): Promise<string[]> {
  const [seconds, micros] = await raw.time();
  const now = Number(seconds) * 1000 + Number(micros) / 1000;
  const entries = await raw.zrangeBuffer(key, '0', '-1', 'WITHSCORES');
  return entries.flatMap((member, i) => {
    const score = String(entries[i + 1]);
    const text = key.endsWith(':timeout') ? `${member.length} bytes` : member.toString('latin1');
    const instant = /^\d+$/.test(score) ? `in ${about(Number(score) - now)}` : score;
    return i % 2 === 0 ? [`${key} ${text} = ${score === NEVER ? 'never' : instant}`] : [];
  });
}

/** Channels of the object that somebody listens to, plain or sharded. */
export async function listenedTo(raw: Redis, name: string): Promise<string[]> {
  const found = await Promise.all(
    [
      ['CHANNELS', 'listens'],
      ['SHARDCHANNELS', 'listens sharded'],
    ].map(async ([kind = '', how]) => {
      const channels = (await raw.call('PUBSUB', kind, `*${name}*`)) as string[];
      return channels.map((channel) => `${how} ${channel}`);
    }),
  );
  return found.flat();
}

const HOLDER = /([\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})(?::(\d+))?/g;

/**
 * Puts placeholders in.
 *
 * @param clients client id -> letter. A client's holder ids become `A:1`, `A:2` in their order.
 */
export function comparable(
  lines: readonly string[],
  name: string,
  clients: ReadonlyMap<string, string>,
): string[] {
  const numbers = new Map<string, Set<number>>();
  for (const [, client = '', number] of lines.join('\n').matchAll(HOLDER)) {
    if (number !== undefined) {
      numbers.set(client, (numbers.get(client) ?? new Set()).add(Number(number)));
    }
  }
  const holder = (id: string, client: string, number?: string): string => {
    const letter = clients.get(client) ?? id;
    const order = [...(numbers.get(client) ?? [])].toSorted((a, b) => a - b);
    return number === undefined ? letter : `${letter}:${order.indexOf(Number(number)) + 1}`;
  };
  return lines
    .map((line) =>
      line
        .replaceAll(name, 'NAME')
        .replaceAll(HOLDER, holder)
        .replace(/\b[\da-f]{32}\b/, '<32 hex>')
        .replace(/(?<=redlatch:)[\da-f]{16}\b/, '<16 hex>')
        .replace(/(?<=token.* = )1\d{15}$/, '<microseconds>'),
    )
    .toSorted();
}
