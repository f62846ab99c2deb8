// A right that is missing in the middle of a script: each call of each script, by a user who lacks
// one of the commands in it, gives and takes nothing, and leaves nothing without a TTL.

import type { Redis } from 'ioredis';
import { beforeAll, expect, test } from 'vitest';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { rawClient, runPrefix } from '../support/redis.js';
import { ownServer } from '../support/server.js';
import { connecting, inScripts, patterns, useEverything } from './everything.js';
import { openClient } from './exercise.js';
import { startGate } from './gate.js';
import { seldomCalls } from './seldom-calls.js';
import { commandsOf, NAME, tryCall, type State, type Trial } from './trials.js';

const server = await ownServer();
const raw = rawClient(server.url);
const trials: Trial[] = [];

beforeAll(async () => {
  /** By the command that each lacks. */
  const users = new Map<string, Redis>();
  const all = [...connecting, ...inScripts].map((command) => `+${command}`);
  for (const command of inScripts) {
    const rights = [...patterns(runPrefix()), ...all, `-${command}`];
    await raw.call('ACL', 'SETUSER', command, 'reset', 'on', '>secret', ...rights);
    users.set(command, rawClient(server.url, { username: command, password: 'secret' }));
  }
  await Promise.all(
    Object.values(scripts).map(async ({ source }) => await raw.script('LOAD', source)),
  );
  const url = await startGate(server, async (script, operands) => {
    trials.push(...(await tryCall(raw, users, script, operands)));
  });
  // Every call is tried by all users before it is carried out.
  await useEverything(openClient({ redis: url, commandTimeoutMs: 20_000 }), raw);
  const direct = rawClient(url);
  await seldomCalls(
    raw,
    async ({ source }, [count = 0, ...operands]) =>
      await direct.eval(source, Number(count), ...operands),
  );
});

const isPublic = (key: string): boolean => !key.startsWith('redlatch_');
/** The last token issued lives for ever, and may skip some. */
const isToken = (key: string): boolean => key.startsWith('redisson_lock_token');
/** Java gives its queue no TTL, and neither do we while only its waiters stand there. */
const isQueue = (key: string): boolean => /^redisson_lock_(?:queue|timeout)/u.test(key);

/** Whoever states that a hold ends, or leaves a line, may be refused when it is done. */
const endings = new Set([
  'lock/release',
  'fair-lock/release',
  'rwlock/release-read',
  'rwlock/release-write',
  'rwlock/leave-queue',
]);

/** A ticket may be gone when a call about a line was refused: its client takes another one then. */
const ofLines = new Set([
  'lock/enter',
  'lock/recheck',
  'lock/release',
  'lock/force-release',
  'multi-lock/acquire',
]);

/** Each of several locks is released or refused by itself, as the reply says of each. */
function refusedInPart(reply: unknown, full: unknown): boolean {
  const [lines, wanted] = [reply, full].map((text) => shape(text).split('\n'));
  return lines!.every(
    (line, i) => line === wanted![i] || /^!.* can't run this command/u.test(line),
  );
}

const isDead = (member: string): boolean => member.includes('dead');

/**
 * What somebody has: the members of all keys. What belongs to the dead is nobody's: an expired permit
 * counts as left, whether it has been returned or not.
 */
function living(state: State): string[] {
  return [...state]
    .filter(([key]) => isPublic(key) && !isToken(key))
    .flatMap(([key, { members }]) => {
      const expired = state.get(`{${key}}:timeout`)?.members.filter(isDead).length ?? 0;
      const own = members.filter((member) => !isDead(member));
      const isEmpty = own.every((member) => member.startsWith('mode='));
      return isEmpty
        ? []
        : own.map((member) => (expired > 0 ? String(Number(member) + expired) : member));
    })
    .toSorted();
}

/** A reply without instants and random parts. */
function shape(reply: unknown): string {
  return String(reply).replaceAll(/\d{3,}/gu, '#');
}

function faultsOfRefused({ script, before, short, again, full }: Trial): string[] {
  const faults: string[] = [];
  if (!/can't run this command/u.test(String(short.reply))) {
    faults.push(`it failed otherwise: ${String(short.reply)}`);
  }
  const endless = [...short.state].filter(
    ([key, { hasTtl }]) =>
      !hasTtl &&
      !isToken(key) &&
      before.get(key)?.hasTtl !== false &&
      !(isQueue(key) && full.state.get(key)?.hasTtl === false),
  );
  faults.push(...endless.map(([key]) => `no TTL: ${key}`));
  // Who asks and is refused has given up, and its place in a queue may be gone.
  const isAsk = script === 'fair-lock/acquire';
  const withoutQueue = (state: State): State =>
    new Map([...state].filter(([key]) => !(isAsk && isQueue(key))));
  const [had, has] = [before, short.state].map((state) => living(withoutQueue(state)).join());
  const isDone = endings.has(script) && living(full.state).join() === has;
  if (had !== has && !isDone) {
    faults.push(`half: ${had} became ${has}`);
  }
  if (!isDone && !isAsk && !ofLines.has(script) && shape(again.reply) !== shape(full.reply)) {
    faults.push(`it was then answered ${shape(again.reply)}, not ${shape(full.reply)}`);
  }
  return faults;
}

function faultsOf(trial: Trial): string[] {
  const { script, command, short, full } = trial;
  let faults: string[] = [];
  if (short.reply instanceof Error) {
    faults = faultsOfRefused(trial);
  } else {
    // What was not needed, or a message, which is no part of what is done.
    const [reply] = Array.isArray(short.reply) ? (short.reply as unknown[]) : [short.reply];
    const same = living(short.state).join() === living(full.state).join();
    // Nobody is seen to listen then, and nobody is handed a lock.
    const isUnseen = command === 'pubsub';
    const isOfParts = script === 'multi-lock/release' && refusedInPart(reply, full.reply);
    if (!isUnseen && !isOfParts && (!same || shape(reply) !== shape(full.reply))) {
      faults = [`it was answered ${shape(reply)}, not ${shape(full.reply)}`];
    }
  }
  return faults.map((fault) => `${script} without ${command}: ${fault}`.replaceAll(NAME, 'NAME'));
}

test('a call that lacks a right to a command is refused as a whole, whatever it lacks', () => {
  expect([...new Set(trials.flatMap(faultsOf))].toSorted()).toEqual([]);
});

test('a copy of a counted call whose message was refused gets the same answer, and does nothing', () => {
  const isCounted = new Map(
    Object.values(scripts).map(({ name, source }) => [
      name,
      /function request_recall\(/u.test(source),
    ]),
  );
  // Clean-up answers what it has undone, which is nothing the second time.
  const told = trials.filter(
    ({ script, short }) =>
      isCounted.get(script) === true &&
      !script.endsWith('/give-back') &&
      Array.isArray(short.reply),
  );

  expect(new Set(told.map(({ script }) => script)).size).toBeGreaterThanOrEqual(12);
  for (const { script, short, again } of told) {
    const [reply] = short.reply as unknown[];
    expect([script, shape(again.reply)]).toEqual([script, shape(reply)]);
    expect(living(again.state)).toEqual(living(short.state));
  }
});

test('every command of every script that writes was tried', () => {
  const reads =
    /^(?:get|exists|pttl|time|h(?:get|exists|getall|len|scan|randfield)|z(?:card|count|score|mscore|range|revrange|rangebyscore)|l(?:len|index|range|pos))$/u;
  const tried = new Set(trials.map(({ script, command }) => `${script} ${command}`));

  const untried = Object.values(scripts).flatMap(({ name, source }) => {
    const commands = commandsOf(source);
    return commands.every((command) => reads.test(command))
      ? []
      : commands.map((command) => `${name} ${command}`).filter((each) => !tried.has(each));
  });

  expect(untried).toEqual([]);
});

test('no call leaves a private key without a TTL', () => {
  const endless = trials.flatMap(({ script, before, full }) =>
    [...full.state]
      .filter(([key, { hasTtl }]) => !hasTtl && !isPublic(key) && before.get(key)?.hasTtl !== false)
      .map(([key]) => `${script}: ${key}`.replaceAll(NAME, 'NAME')),
  );

  expect([...new Set(endless)]).toEqual([]);
});
