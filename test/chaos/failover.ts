// A failover to a replica that lags: of one semaphore the server knows again what it knew a while ago.

import { setTimeout as delay } from 'node:timers/promises';
import { now } from './history.js';
import { START, type Scene } from './scene.js';

/** Keeps a copy of all keys with a name in them in a hash. */
const KEEP = `
  redis.call('DEL', KEYS[1])
  for _, key in ipairs(redis.call('KEYS', '*' .. ARGV[1] .. '*')) do
    redis.call('HSET', KEYS[1], key, redis.call('DUMP', key))
  end`;

/** Puts them back, once, and removes those that came since. */
const RETURN = `
  local copies = redis.call('HGETALL', KEYS[1])
  if #copies == 0 then
    return
  end
  for _, key in ipairs(redis.call('KEYS', '*' .. ARGV[1] .. '*')) do
    redis.call('DEL', key)
  end
  for i = 1, #copies, 2 do
    redis.call('RESTORE', copies[i], 600000, copies[i + 1])
  end
  redis.call('PERSIST', ARGV[1])
  redis.call('DEL', KEYS[1])`;

/** Loses what was written in so many milliseconds. */
export async function failOver(
  { history, names, raw, prefix }: Scene,
  lostMs: number,
): Promise<void> {
  const cause = {
    what: 'failover',
    name: names.lagging,
    client: undefined,
    from: now(),
    until: Number.POSITIVE_INFINITY,
  };
  history.disturbances.push(cause);
  await raw.eval(KEEP, 1, `${prefix}:copy`, names.lagging);
  await delay(lostMs);
  await raw.eval(RETURN, 1, `${prefix}:copy`, names.lagging);
  cause.until = now();
}

/** What failovers lost is neither too many nor too few: who has it is recorded, or its release was lost. */
export async function checkLagging({ history, names, raw }: Scene): Promise<void> {
  const record = `redlatch_permits:{${names.lagging}}`;
  const read = raw.multi().get(names.lagging).hget(record, 'grants');
  const [[, left] = [], [, grants] = []] = (await read.exec()) ?? [];
  const taken = Number(String(grants).split(' ')[0]);
  if (Number(left) + taken !== START.lagging) {
    const text = `${Number(left)} are left, and ${taken} are recorded as taken, of ${START.lagging}`;
    history.violated('a failover gains and loses nothing', names.lagging, text);
  }
}
