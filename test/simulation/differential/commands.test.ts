// Random commands on a real server and on the simulated one: the same replies, keys and contents.

import { describe, expect, test } from 'vitest';
import { Random } from '../../../src/testing/random.js';
import { COMMANDS, execute } from '../../../src/testing/commands/commands.js';
import { Keyspace } from '../../../src/testing/keyspace/keyspace.js';
import type { Reply } from '../../../src/testing/keyspace/reply.js';
import { ownServer } from '../../support/server.js';
import { agree, agreeInNumbers, describeMismatch } from './compare.js';
import { Draw, KEYS } from './draw.js';
import { briefLives, MAKERS, randomCommand } from './random-commands.js';
import { RealServer, timeOf } from './real-server.js';
import { limitFor, seeds, stepsForEach } from './settings.js';

// FLUSHALL is one of the commands, so the server must be our own. A high `hz` ends waits in time.
const server = await ownServer({ args: ['--hz', '500'] });
const real = new RealServer(server.url);

/** Other versions print the same scores with less digits, and differ in nothing else that we know. */
const printsAsWeDo = server.version.startsWith('redis 7.0.');

const BATCH = 500;
const TIME = ['TIME'];

/** Longer than each brief life: the real server does nothing meanwhile. */
const WAIT = ['BLPOP', 'no such key', '0.008'];

/** Everything there is to see of the keys. */
const LOOK: readonly string[][] = [
  ['KEYS', '*'],
  ...KEYS.flatMap((key) => [
    ['TYPE', key],
    ['PEXPIRETIME', key],
    ['GET', key],
    ['HGETALL', key],
    ['LRANGE', key, '0', '-1'],
    ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
    ['OBJECT', 'ENCODING', key],
  ]),
];

/** What runs between two looks at the clock of the real server. */
type Step = readonly string[][];

function step(argv: string[]): Step {
  const setsExpiry = ['SET', 'PEXPIRE', 'PEXPIREAT'].includes(argv[0]?.toUpperCase() ?? '');
  return setsExpiry ? [argv, ['PEXPIRETIME', argv[1] ?? '']] : [argv];
}

function plan(draw: Draw, count: number): Step[] {
  const steps: Step[] = [];
  for (let i = 1; i <= count; i += 1) {
    steps.push(step(randomCommand(draw)));
    if (i % 50 === 0 || i === count) {
      steps.push(LOOK);
    }
    if (draw.random.chance(0.002)) {
      steps.push(...briefLives(draw).map((argv) => [argv]), [WAIT], LOOK);
    }
  }
  return steps;
}

/** How the simulated server answers, also what it has no command for. */
function answer(keyspace: Keyspace, argv: readonly string[], reply: Reply): Reply {
  if (argv === WAIT) {
    return null;
  }
  if (argv[0] === 'OBJECT') {
    // Only of a hash it matters: it says in which order a scan goes.
    const key = argv[2] ?? '';
    const isHash = keyspace.typeOf(key) === 'hash';
    return isHash ? (keyspace.hash(key)?.isTable === true ? 'hashtable' : 'listpack') : reply;
  }
  return execute(keyspace, argv);
}

describe.each(seeds)('seed %i', (seed) => {
  const count = stepsForEach(14_000);

  test('random commands do the same', { timeout: limitFor(count) }, async () => {
    const random = new Random(seed);
    let [now, done] = [0, 0];
    const keyspace = new Keyspace(() => now, new Random(seed));
    await real.run([['FLUSHALL']]);

    for (let planned = 0; planned < count; planned += BATCH) {
      const steps = plan(new Draw(random, Date.now()), Math.min(BATCH, count - planned));
      const replies = await real.run([...steps.flatMap((each) => [TIME, ...each]), TIME]);
      let at = 0;

      for (const commands of steps) {
        const time = replies[at] ?? null;
        now = timeOf(time);
        const slackMs = timeOf(replies[at + commands.length + 1]) - now + 2;
        for (const [i, argv] of commands.entries()) {
          const reply = replies[at + i + 1] ?? null;
          const isTime = argv[0]?.toUpperCase() === 'TIME' && argv.length === 1;
          const answers = {
            argv,
            real: isTime ? time : reply,
            virtual: answer(keyspace, argv, reply),
          };
          const isAlike =
            agree(answers, keyspace, slackMs) || (!printsAsWeDo && agreeInNumbers(answers));
          if (!isAlike) {
            expect.fail(describeMismatch(seed, done, answers));
          }
          // From here on both have the same instant.
          if (argv[0] === 'PEXPIRETIME' && typeof reply === 'number' && reply > 0) {
            keyspace.expireAt(argv[1] ?? '', reply);
          }
        }
        at += commands.length + 1;
        done += 1;
      }
    }
  });
});

test('every command is among the random ones', () => {
  const names = [...COMMANDS.values()].map(({ name }) => name);

  expect(new Set(names)).toEqual(new Set(Object.keys(MAKERS)));
});

test('commands have the arity, the flags and the keys that Redis says', async () => {
  const commands = [...new Set(COMMANDS.values())];

  const [infos = []] = await real.run([['COMMAND', 'INFO', ...commands.map(({ name }) => name)]]);

  const told = (infos as Reply[][]).map(([name, arity, flags, firstKey, lastKey]) => ({
    name,
    arity,
    isWrite: (flags as string[]).includes('write'),
    deniesOutOfMemory: (flags as string[]).includes('denyoom'),
    firstKey,
    lastKey,
  }));
  expect(told).toEqual(
    commands.map(({ name, arity, isWrite, deniesOutOfMemory, firstKey, lastKey }) => ({
      name,
      arity,
      isWrite,
      deniesOutOfMemory,
      firstKey,
      lastKey,
    })),
  );
});
