// Every script call of a client, tried beforehand by users who lack one right each: on copies of the
// object, so that the call itself finds everything as it was.

import type { Redis } from 'ioredis';
import * as scripts from '../../src/core/wire/scripts.generated.js';

/** A name of a test, and what marks those of its copies. */
export const NAME = /redlatch-test:[^:{}]+:[a-z]+-[0-9a-f]{12}/gu;
const MARK = '~';

/** Copies all keys of some objects, once for each of some users. */
const COPY = `
  local names, users = cjson.decode(ARGV[1]), cjson.decode(ARGV[2])
  for _, name in ipairs(names) do
    for _, key in ipairs(redis.call('KEYS', '*' .. name .. '*')) do
      local from, to = string.find(key, name, 1, true)
      for _, user in ipairs(users) do
        local copy = string.sub(key, 1, to) .. '${MARK}' .. user .. string.sub(key, to + 1)
        redis.call('COPY', key, copy)
      end
    end
  end`;

/** Every key there is: its name, 1 when it has a TTL, and what is in it. */
const SNAPSHOT = `
  local read = {
    string = function(key) return { redis.call('GET', key) } end,
    list = function(key) return redis.call('LRANGE', key, 0, -1) end,
    zset = function(key) return redis.call('ZRANGE', key, 0, -1) end,
    hash = function(key)
      local fields, pairs = redis.call('HGETALL', key), {}
      for i = 1, #fields, 2 do
        pairs[#pairs + 1] = fields[i] .. '=' .. fields[i + 1]
      end
      return pairs
    end,
  }
  local keys = {}
  for _, key in ipairs(redis.call('KEYS', '*')) do
    local has_ttl = redis.call('PTTL', key) >= 0 and 1 or 0
    keys[#keys + 1] = { key, has_ttl, read[redis.call('TYPE', key).ok](key) }
  end
  return keys`;

const SWEEP = `
  for _, key in ipairs(redis.call('KEYS', '*${MARK}*')) do
    redis.call('DEL', key)
  end`;

interface Key {
  readonly hasTtl: boolean;
  /** The value, the entries of a list, the members of a sorted set, or `field=value`. */
  readonly members: readonly string[];
}
/** The keys of the objects of one user, by name. */
export type State = ReadonlyMap<string, Key>;

/** What came of a call. */
interface Outcome {
  readonly reply: unknown;
  readonly state: State;
}

export interface Trial {
  readonly script: string;
  /** The command that the user lacks. */
  readonly command: string;
  readonly before: State;
  /** With the command missing, then once more with all rights, and only with all rights. */
  readonly short: Outcome;
  readonly again: Outcome;
  readonly full: Outcome;
}

const bySha1 = new Map(Object.values(scripts).map((script) => [script.sha1, script] as const));
const byName = new Map(Object.values(scripts).map((script) => [script.name, script] as const));

/** The commands of a script, without those that only read, after an error, which key is not ours. */
export function commandsOf(script: string): string[] {
  const source = script.replace(/local function checked\(.+?(?=\nlocal function )/su, '');
  const named = [...source.matchAll(/redis\.p?call\(\s*'(?<command>[A-Z]+)'/gu)];
  const commands = named.map(({ groups }) => groups?.['command']?.toLowerCase() ?? '');
  return [...new Set([...commands, ...(source.includes('function notify(') ? ['publish'] : [])])];
}

async function run(redis: Redis, script: string, operands: Buffer[]): Promise<unknown> {
  const sha1 = byName.get(script)?.sha1 ?? '';
  return await redis.call('EVALSHA', sha1, ...operands).catch((error: unknown) => error);
}

async function snapshot(raw: Redis): Promise<ReadonlyMap<string, State>> {
  const keys = (await raw.callBuffer('EVAL', SNAPSHOT, 0)) as [Buffer, number, Buffer[]][];
  const states = new Map<string, Map<string, Key>>();
  for (const [key, hasTtl, members] of keys) {
    const name = key.toString('latin1');
    const user = /~(?<user>\w+)/u.exec(name)?.groups?.['user'] ?? '';
    const state = states.get(user) ?? new Map<string, Key>();
    states.set(user, state);
    state.set(name.replace(MARK + user, ''), {
      hasTtl: hasTtl === 1,
      members: members.map((member) => member.toString('latin1')),
    });
  }
  return states;
}

/**
 * Tries a call as each of some users who lack one command, and with all rights.
 *
 * @param raw has all rights, and knows all scripts
 * @param users by the command that each lacks
 */
export async function tryCall(
  raw: Redis,
  users: ReadonlyMap<string, Redis>,
  scriptText: string,
  operands: Buffer[],
): Promise<Trial[]> {
  const script = bySha1.get(scriptText) ?? byName.get(/^-- (.+)/u.exec(scriptText)?.[1] ?? '');
  const texts = operands.map((operand) => operand.toString('latin1'));
  const names = [...new Set(texts.flatMap((text) => text.match(NAME) ?? []))];
  if (script === undefined || names.length === 0) {
    throw new Error(`a call of an unknown script or object: ${scriptText.slice(0, 60)}`);
  }
  const commands = commandsOf(script.source).filter((command) => users.has(command));
  await raw.eval(COPY, 0, JSON.stringify(names), JSON.stringify([...commands, 'nothing']));
  const operandsFor = (user: string): Buffer[] =>
    texts.map((text) => Buffer.from(text.replaceAll(NAME, `$&${MARK}${user}`), 'latin1'));
  const runAll = async (redisOf: (command: string) => Redis): Promise<unknown[]> =>
    await Promise.all(
      commands.map(async (each) => await run(redisOf(each), script.name, operandsFor(each))),
    );

  const before = await snapshot(raw);
  const shortReplies = await runAll((command) => users.get(command) ?? raw);
  const fullReply = await run(raw, script.name, operandsFor('nothing'));
  const after = await snapshot(raw);
  const againReplies = await runAll(() => raw);
  const afterAgain = await snapshot(raw);
  await raw.eval(SWEEP, 0);

  const full = { reply: fullReply, state: after.get('nothing') ?? new Map() };
  return commands.map((command, i) => ({
    script: script.name,
    command,
    before: before.get(command) ?? new Map(),
    short: { reply: shortReplies[i], state: after.get(command) ?? new Map() },
    again: { reply: againReplies[i], state: afterAgain.get(command) ?? new Map() },
    full,
  }));
}
