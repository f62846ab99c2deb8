// @ts-check
// What befalls a worker while it holds. The stage waits for events, never for a guess; each wait
// is bounded by the lease, since that is the promise.
import { setTimeout as sleep } from 'node:timers/promises';
import { msBetween, now, ofType } from './events.mjs';

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
  const at = stage.record('killed', victim);
  stage.troupe.signal(victim, 'SIGKILL');
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
  const at = stage.record('paused', sleeper);
  stage.troupe.signal(sleeper, 'SIGSTOP');
  stage.announce(`worker ${sleeper} frozen while it holds (SIGSTOP)`);
  const writesBefore = stage.store.writes.length;
  await othersGoOn(stage, sleeper, at);
  await stage.until('a write of another worker', () => stage.store.writes.length > writesBefore);
  await sleep(Math.max(0, leaseMs - msBetween(at, now())));
  stage.record('continued', sleeper);
  stage.troupe.signal(sleeper, 'SIGCONT');
  stage.announce(`worker ${sleeper} runs again (SIGCONT)`);
  await stage.until('the first line after the pause', () => has(stage, 'resumed', sleeper));
  const back = now();
  await stage.until('a new turn of the worker that was paused', () =>
    ofType(stage.events, 'held', sleeper).some((e) => e.at > back),
  );
}

/** @param {Stage} stage @param {number} worker */
async function leadToAccident(stage, worker) {
  stage.announce(`an accident is prepared for worker ${worker}`);
  stage.troupe.cue('accident', worker);
  await stage.until('the worker to hold', () => has(stage, 'at-mercy', worker));
}

/**
 * @param {Stage} stage
 * @param {number} absent
 * @param {bigint} since
 */
async function othersGoOn(stage, absent, since) {
  const others = stage.workers.filter((worker) => worker !== absent);
  await stage.until('all others to be granted again', () =>
    others.every(
      (worker) =>
        ofType(stage.events, 'held', worker).filter((e) => e.at > since).length >= TURNS_AFTER,
    ),
  );
}

/** @param {Stage} stage @param {string} type @param {number} worker */
const has = (stage, type, worker) => ofType(stage.events, type, worker).length > 0;
