// @ts-check
// `npm run demo`: real Redis, real worker processes, real accidents, and a page to look at.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, styleText } from 'node:util';
import { Redis } from 'ioredis';
import { createClient } from '../dist/index.js';
import { RedisUnavailableError, startRedis } from '../scripts/redis/provider.mjs';
import { acts, findAct } from './acts/index.mjs';
import { now } from './events.mjs';
import { historyOf } from './history.mjs';
import { judged } from './judge.mjs';
import { isGood, report, still, timelinePage } from './page.mjs';
import { Stage } from './stage.mjs';
import { endAllWorkers } from './troupe.mjs';

/** @typedef {import('./stage.mjs').Production} Production */

const LEASE_MS = 1_000;
const SPRINT_MS = 500;
/** The longest that anything on stage may take; where nobody locks, much will never come. */
const PATIENCE_MS = 10_000;
const SABOTAGED_PATIENCE_MS = 3_000;
const PAGE = fileURLToPath(new URL('../out/demo-timeline.html', import.meta.url));

const SABOTAGES = new Set(['', 'unlocked', 'unfenced']);

const HELP = `npm run demo [-- [--still FILE] [--page FILE] ACT ...]

Starts a Redis, and for each primitive some worker processes that use it as hard as they can. On the
way some are killed, frozen or cut off. The checkers of the simulation judge the record, and a page
shows it. Exit code 0: every invariant held. 1: one was violated, or the demo could not be played.

Acts, all of them by default
  ${acts.map((act) => act.id).join('\n  ')}

  --still FILE    also draw the accident of the first of these acts as a picture of its own:
                  npm run demo -- --still docs/timeline.svg lock
  --page FILE     where the page goes, out/demo-timeline.html by default

Environment
  REDIS_URL       use this server instead of starting one (standalone; own keys only, deleted after)
  NO_COLOR        no colours
  DEMO_SABOTAGE   to see the checks fail:  unlocked  the workers do not lock at all
                                           unfenced  the store does not check the tokens
`;

/**
 * Plays what comes after the sprint of an act.
 * @param {Stage} stage
 * @param {Promise<void>} sprint
 * @returns {Promise<import('./facts.mjs').Scene>}
 */
async function play(stage, sprint) {
  const { act } = stage;
  try {
    await sprint;
    await act.orchestrate(stage);
    await stage.crossFinishLine();
    await act.end?.(stage);
  } catch (error) {
    await stage.breakOff(error instanceof Error ? error : new Error(String(error)));
  }
  const { events, store, leaseMs, workers, gunAt } = stage;
  const history = historyOf({ act, events, store, leaseMs, endedAt: now() });
  const nameOf = (/** @type {number} */ worker) => stage.nameOf(worker);
  return { act, events, leaseMs, workers, gunAt, nameOf, history };
}

/**
 * Leaves nothing behind: no process, no key, and no server that was not there before.
 * @param {Pick<Production, 'client' | 'redis' | 'keyPrefix'> & {
 *   server: Awaited<ReturnType<typeof startRedis>> }} what
 */
async function leave({ server, client, redis, keyPrefix }) {
  endAllWorkers();
  await client.close();
  for await (const keys of redis.scanStream({ match: `*${keyPrefix}*`, count: 500 })) {
    if (Array.isArray(keys) && keys.length > 0) {
      await redis.unlink(keys.map(String));
    }
  }
  await redis.quit();
  await server.stop();
}

async function main() {
  const sabotage = process.env['DEMO_SABOTAGE'] ?? '';
  if (!SABOTAGES.has(sabotage)) {
    throw new Error(`DEMO_SABOTAGE must be unlocked or unfenced, got "${sabotage}"`);
  }
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { still: { type: 'string' }, page: { type: 'string', default: PAGE } },
  });
  const chosen = positionals.map(findAct);
  const server = await startRedis({ purpose: 'demo' });
  const began = now();
  const say = (/** @type {string} */ line) =>
    console.log(`${((now() - began) / 1_000).toFixed(1).padStart(5)} s  ${line}`);
  const whose = server.kind === 'url' ? 'yours, by REDIS_URL' : `own ${server.kind}`;
  console.log(`${styleText('bold', 'redlatch demo')} on ${server.version} (${whose})\n`);
  const keyPrefix = `demo:${randomBytes(6).toString('hex')}:`;
  const casting = { url: server.url, keyPrefix, leaseMs: LEASE_MS, sprintMs: SPRINT_MS };
  const patienceMs = sabotage === 'unlocked' ? SABOTAGED_PATIENCE_MS : PATIENCE_MS;
  const redis = new Redis(server.url);
  const client = createClient({ redis: server.url, keyPrefix });
  client.on('error', ({ error }) => say(`the stage: ${String(error)}`));
  /** @type {Promise<void> | undefined} */
  let cleaned;
  const cleanUp = () => (cleaned ??= leave({ server, client, redis, keyPrefix }));
  const interrupted = () => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const production = { ...casting, sabotage, patienceMs, say, client, redis };
    const scenes = [];
    for (const act of chosen.length === 0 ? acts : chosen) {
      const stage = new Stage(act, production);
      const sprint = stage.sprint();
      scenes.push(play(stage, sprint));
      // One sprint at a time, while others wait for a lease to end.
      await sprint.catch(() => {});
    }
    const played = await Promise.all((await Promise.all(scenes)).map(judged));
    const result = { acts: played, server: server.version, playedAt: new Date() };
    await mkdir(dirname(values.page), { recursive: true });
    await writeFile(values.page, timelinePage(result));
    const [first] = result.acts;
    if (values.still !== undefined && first !== undefined) {
      await writeFile(values.still, still(first.scene));
    }
    console.log(`\n${report(result)}\n`);
    console.log(`See it: ${styleText('underline', relative(process.cwd(), values.page))}`);
    return isGood(result) ? 0 : 1;
  } finally {
    await cleanUp();
  }
}

if (process.argv.includes('--help')) {
  console.log(HELP);
} else {
  // An explicit end, so that no worker outlives a failure (see troupe.mjs).
  process.exit(
    await main().catch((error) => {
      console.error(error instanceof RedisUnavailableError ? error.message : error);
      return 1;
    }),
  );
}
