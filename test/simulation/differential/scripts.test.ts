// Our own scripts, with operands as callers have them, on a real server and on the simulated one: the
// same replies, messages and keys. Where a time is part of what they say it may differ by as much as
// the real server took.

import { beforeAll, describe, expect, test } from 'vitest';
import * as scripts from '../../../src/core/wire/scripts.generated.js';
import type { Keyspace } from '../../../src/testing/keyspace/keyspace.js';
import { Random } from '../../../src/testing/random.js';
import { LuaEngine } from '../../../src/testing/server/lua.js';
import { rawClient } from '../../support/redis.js';
import { ownServer } from '../../support/server.js';
import { RealServer } from './real-server.js';
import { limitFor, seeds, stepsForEach } from './settings.js';
import { type EvalScript, loadScripts, Stage } from './stage.js';
import { Cast, type World } from './worlds/cast.js';
import { latchWorld, semaphoreWorld } from './worlds/counts.js';
import { fairLockWorld, lockWorld } from './worlds/locks.js';
import { permitsWorld } from './worlds/permits.js';
import { rwlockWorld } from './worlds/rwlocks.js';

// Fields of our hashes are longer than 64 bytes. Without this setting the real server would order
// them at random, and some scripts go by the order.
const server = await ownServer({ args: ['--hash-max-listpack-value', '1000'] });
const real = new RealServer(server.url);
const subscriber = rawClient(server.url);

/** So many worlds are played at once, each for so many rounds. */
const WORLDS = 40;
const ROUNDS = 100;

const KINDS: readonly ((cast: Cast, markOf: (key: string) => string) => World)[] = [
  lockWorld,
  fairLockWorld,
  rwlockWorld,
  latchWorld,
  semaphoreWorld,
  permitsWorld,
];

/** The mark of one of the grants in the record of a semaphore; "0" without a record. */
function markOf(keyspace: Keyspace, key: string): string {
  const record = keyspace.hash(key);
  const id = record?.get('semaphore')?.split(' ')[0];
  if (record === undefined || id === undefined) {
    return '0';
  }
  const grant = record.entries().findLast(([field]) => field.includes(':'));
  const [field = ':1', value = '1 1'] = grant ?? [];
  return `${id}:${value.split(' ')[1] ?? '1'}:${field.split(':')[1] ?? '1'}`;
}

const played = new Set<string>();
const loaded = new Set<string>();
let evalScript: EvalScript;

/** Messages since the last call, each with its channel. */
let received: string[] = [];
let whenMarked = (): void => undefined;

beforeAll(async () => {
  const engine = await LuaEngine.load();
  evalScript = (source, keys, args, host) => engine.run(source, keys, args, host);
  subscriber.on('pmessage', (_pattern, channel: string, payload: string) => {
    if (channel === 'end of round') {
      whenMarked();
    } else {
      received.push(`${channel} ${payload}`);
    }
  });
  // ioredis 5 asks whether the server is ready, which a subscribed connection must not.
  await subscriber.ping();
  await subscriber.psubscribe('*');
});

/** Runs one pipeline; returns its replies and the messages of it. */
async function runRound(commands: string[][]): Promise<{ replies: unknown[]; messages: string[] }> {
  received = [];
  const marked = new Promise<void>((resolve) => (whenMarked = resolve));
  const replies = await real.run([...commands, ['PUBLISH', 'end of round', '']]);
  await marked;
  return { replies, messages: received };
}

describe.each(seeds)('seed %i', (seed) => {
  const count = stepsForEach(6_000);

  test('scripts do the same', { timeout: limitFor(count) }, async () => {
    const random = new Random(seed);
    let done = 0;
    let stages: { key: string; stage: Stage }[] = [];
    while (done < count) {
      if (done % (WORLDS * ROUNDS) === 0) {
        stages = Array.from({ length: WORLDS }, (_, i) => {
          const key = `world ${seed} ${done + i}`;
          const make = random.pick(KINDS);
          const stage = new Stage(
            (keyspace) => make(new Cast(random.fork(), key), (record) => markOf(keyspace, record)),
            evalScript,
            random.fork(),
          );
          return { key, stage };
        });
      }
      const steps = stages.map(({ stage }) => stage.next());
      await loadScripts(
        real,
        steps.map(({ operation }) => operation),
        loaded,
      );
      const { replies, messages } = await runRound(
        steps.flatMap((step, i) => stages[i]!.stage.commands(step)),
      );
      for (const [i, step] of steps.entries()) {
        const { key, stage } = stages[i]!;
        const own = messages.filter(
          (message) =>
            message.startsWith(`channel:{${key}}`) ||
            message.endsWith(` ${key}`) ||
            message.endsWith(` e${key}`),
        );
        const mismatch = stage.play(step, replies.slice(5 * i, 5 * i + 5) as never, own);
        if (mismatch !== undefined) {
          expect.fail(
            `the servers differ: seed ${seed}, step ${done + i}\n${JSON.stringify({ ...mismatch, operation: { ...mismatch.operation, source: undefined } }, undefined, 2)}`,
          );
        }
        played.add(step.operation.name);
      }
      done += steps.length;
    }
  });
});

test('every script was played', () => {
  const names = Object.values(scripts).map(({ name }) => name);

  expect(names.filter((name) => !played.has(name))).toEqual([]);
});
