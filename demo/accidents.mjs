// @ts-check
// What befalls a worker. The stage waits for events, never for a guess; each wait is bounded by the
// lease, since that is the promise.
import { setTimeout as sleep } from 'node:timers/promises';
import { now, ofType } from './events.mjs';

/** @typedef {import('./stage.mjs').Stage} Stage */

/** Turns that everyone else must get after the accident. */
const TURNS_AFTER = 2;

/**
 * Kills the worker while it holds, and sees that the others go on.
 * @param {Stage} stage
 * @param {number} victim
 */
export async function killWhileHolding(stage, victim) {
  await leadToAccident(stage, victim);
  const at = kill(stage, victim);
  stage.announce(`worker ${victim} killed while it holds (SIGKILL)`);
  await othersGoOn(stage, victim, at);
}

/**
 * Freezes the worker while it holds, until its lease is over and another has been granted, then
 * lets it run again and sees that everyone goes on.
 * @param {Stage} stage
 * @param {number} sleeper
 */
export async function pausePastLease(stage, sleeper) {
  const { leaseMs } = stage;
  await leadToAccident(stage, sleeper);
  const at = freeze(stage, sleeper);
  stage.announce(`worker ${sleeper} frozen while it holds (SIGSTOP)`);
  await othersGoOn(stage, sleeper, at);
  await sleep(Math.max(0, leaseMs - (now() - at)));
  thaw(stage, sleeper);
  await stage.until('the first line after the pause', () => stage.has('resumed', sleeper));
  const back = now();
  await stage.until('a new turn of the worker that was paused', () =>
    stage.has('held', sleeper, back),
  );
}

/**
 * Kills the first and freezes the third of those who wait in line while one worker holds; then that
 * one lets go, and all others in line are to be served. At last the frozen one runs again.
 * @param {Stage} stage
 * @param {{ holder: number, line: () => Promise<number[]> }} options `line` tells who waits, in order
 */
export async function loseWaiters(stage, { holder, line }) {
  await leadToAccident(stage, holder);
  const others = stage.workers.filter((worker) => worker !== holder);
  // Each of them has seen it, and has nothing else under way.
  await stage.until('all others to wait in line', () =>
    others.every((worker) => last(stage, worker)?.type === 'in-line'),
  );
  const waiting = await line();
  const [dead = 0, , frozen = 0] = waiting;
  const at = kill(stage, dead);
  freeze(stage, frozen);
  const queue = `worker ${holder} holds, the queue is ${waiting.join(' ')}`;
  stage.announce(`${queue}: worker ${dead} killed, worker ${frozen} frozen`);
  stage.troupe.cue('let go', holder);
  const live = waiting.filter((worker) => worker !== dead && worker !== frozen);
  await stage.until('all others in line to be served', () =>
    live.every((worker) => stage.has('held', worker, at)),
  );
  thaw(stage, frozen);
  await stage.until('the frozen one to be served', () => stage.has('held', frozen, at));
}

/**
 * Cuts every connection of these workers while they are busy, and sees that they all go on.
 * @param {Stage} stage
 * @param {number[]} workers
 */
export async function cutWhileBusy(stage, workers) {
  const { keyPrefix, act, redis } = stage;
  for (const worker of workers) {
    stage.record('cut', worker);
  }
  const names = workers.map((worker) => connectionName({ keyPrefix, act: act.id, worker }));
  const count = await cutConnections(redis, names);
  const at = now();
  stage.announce(`all ${count} connections of the workers ${workers.join(', ')} cut`);
  await othersGoOn(stage, 0, at);
}

/**
 * What the connections of a worker's client are called on the server.
 * @param {{ keyPrefix: string, act: string, worker: number }} casting
 */
export const connectionName = ({ keyPrefix, act, worker }) => `${keyPrefix}${act}:${worker}`;

/**
 * Ends every connection of these names, at the server.
 * @param {import('ioredis').Redis} redis
 * @param {string[]} names
 * @returns {Promise<number>} how many there were
 */
async function cutConnections(redis, names) {
  const list = String(await redis.client('LIST'));
  const ids = list
    .split('\n')
    .filter((line) => names.includes(/(?:^| )name=(\S*)/.exec(line)?.[1] ?? ''))
    .map((line) => /(?:^| )id=(\d+)/.exec(line)?.[1] ?? '');
  await Promise.all(ids.map((id) => redis.client('KILL', 'ID', id)));
  return ids.length;
}

/** What it wrote down last. @param {Stage} stage @param {number} worker */
const last = ({ events }, worker) => events.findLast((event) => event.worker === worker);

/** @param {Stage} stage @param {number} worker */
async function leadToAccident(stage, worker) {
  stage.announce(`an accident is prepared for worker ${worker}`);
  stage.troupe.cue('accident', worker);
  await stage.until('the worker to hold', () => stage.has('at-mercy', worker));
}

/** @param {Stage} stage @param {number} worker */
function kill(stage, worker) {
  const at = stage.record('killed', worker);
  stage.troupe.signal(worker, 'SIGKILL');
  return at;
}

/** @param {Stage} stage @param {number} worker */
function freeze(stage, worker) {
  const at = stage.record('paused', worker);
  stage.troupe.signal(worker, 'SIGSTOP');
  return at;
}

/** @param {Stage} stage @param {number} worker */
function thaw(stage, worker) {
  stage.record('continued', worker);
  stage.troupe.signal(worker, 'SIGCONT');
  stage.announce(`worker ${worker} runs again (SIGCONT)`);
}

/**
 * @param {Stage} stage
 * @param {number} absent
 * @param {number} since
 */
export async function othersGoOn(stage, absent, since) {
  const others = stage.workers.filter((worker) => worker !== absent);
  await stage.until('all others to be granted again', () =>
    others.every(
      (worker) =>
        ofType(stage.events, 'held', worker).filter((e) => e.at > since).length >= TURNS_AFTER,
    ),
  );
}
