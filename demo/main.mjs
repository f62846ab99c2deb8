// @ts-check
// `npm run demo`: real Redis, real worker processes, real accidents, and a page to look at.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import pc from 'picocolors';
import { createClient } from '../dist/index.js';
import { RedisUnavailableError, startRedis } from '../scripts/redis/provider.mjs';
import { acts, findAct } from './acts/index.mjs';
import { checkEveryAct, checkLatches } from './checks/every-act.mjs';
import { figuresOf, latchFigures } from './figures.mjs';
import { limited } from './limited.mjs';
import { Live } from './live.mjs';
import { findingsOf, report } from './report.mjs';
import { Stage } from './stage.mjs';
import { timelinePage } from './timeline.mjs';
import { still } from './timeline/still.mjs';
import { endAllWorkers } from './troupe.mjs';

/** @typedef {import('./stage.mjs').Production} Production */

const LEASE_MS = 1_000;
const SPRINT_MS = 500;
/** Acts that are on at the same time: most of an act is waiting for a lease to end. */
const AT_ONCE = 3;
/** The longest that anything on stage may take; where nobody locks, much will never come. */
const PATIENCE_MS = 10_000;
const SABOTAGED_PATIENCE_MS = 3_000;
const PAGE = new URL('../out/demo-timeline.html', import.meta.url);

const SABOTAGES = new Set(['', 'unlocked', 'unfenced']);

const HELP = `npm run demo [-- [--still FILE] ACT ...]

Starts a Redis, and for each primitive some worker processes that use it as hard as they can. On the
way some are killed, frozen or cut off. Checks from the record that nothing went wrong, and draws
the record. Exit code 0: every invariant held. 1: one was violated, or the demo could not be played.

Acts, all of them by default
  ${acts.map((act) => act.id).join('\n  ')}

  --still FILE    also draw the accident of the first of these acts as a picture of its own:
                  npm run demo -- --still docs/timeline.svg lock

Environment
  REDIS_URL       use this server instead of starting one (standalone; own keys only, deleted after)
  NO_COLOR        no colours
  DEMO_SABOTAGE   to see the checks fail:  unlocked  the workers do not lock at all
                                           unfenced  the store does not check the tokens
`;

/**
 * Plays one act and checks what was recorded.
 * @param {import('./acts/index.mjs').Act} act
 * @param {Production} production
 * @param {ReturnType<typeof limited>} alone sprints are measured, so there is one at a time
 */
async function play(act, production, alone) {
  const stage = new Stage(act, production);
  try {
    await alone(async () => await stage.sprint());
    await act.orchestrate(stage);
  } catch (error) {
    await stage.breakOff(error instanceof Error ? error : new Error(String(error)));
  }
  await stage.close();
  production.live.done(stage);
  return { stage, findings: [...(await act.check(stage)), ...checkEveryAct(stage)] };
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

/**
 * @param {readonly import('./acts/index.mjs').Act[]} programme
 * @param {Production} production
 */
async function playAll(programme, production) {
  const inTurn = limited(AT_ONCE);
  const alone = limited(1);
  const acted = await Promise.all(
    programme.map((act) => inTurn(async () => await play(act, production, alone))),
  );
  const stages = acted.map(({ stage }) => stage);
  const findings = checkLatches(stages);
  return {
    acts: acted.map((each) => ({ ...each, figures: figuresOf(each.stage, each.findings) })),
    latches: { findings, figures: latchFigures(stages, findings) },
  };
}

async function main() {
  const sabotage = process.env['DEMO_SABOTAGE'] ?? '';
  if (!SABOTAGES.has(sabotage)) {
    throw new Error(`DEMO_SABOTAGE must be unlocked or unfenced, got "${sabotage}"`);
  }
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { still: { type: 'string' } },
  });
  const chosen = positionals.map(findAct);
  const server = await startRedis({ purpose: 'demo' });
  const live = new Live();
  const whose = server.kind === 'url' ? 'yours, by REDIS_URL' : `own ${server.kind}`;
  live.print(`${pc.bold('redlatch demo')} on ${server.version} (${whose})\n`);
  const keyPrefix = `demo:${randomBytes(6).toString('hex')}:`;
  const casting = { url: server.url, keyPrefix, leaseMs: LEASE_MS, sprintMs: SPRINT_MS };
  const patienceMs = sabotage === 'unlocked' ? SABOTAGED_PATIENCE_MS : PATIENCE_MS;
  const redis = new Redis(server.url);
  const client = createClient({ redis: server.url, keyPrefix });
  /** @type {Promise<void> | undefined} */
  let cleaned;
  const cleanUp = () => (cleaned ??= leave({ server, client, redis, keyPrefix }));
  const interrupted = () => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const production = { ...casting, sabotage, patienceMs, live, client, redis };
    const played = await playAll(chosen.length === 0 ? acts : chosen, production);
    const { version } = server;
    const result = { ...played, server: version, leaseMs: LEASE_MS, playedAt: new Date() };
    await mkdir(new URL('.', PAGE), { recursive: true });
    await writeFile(PAGE, timelinePage(result));
    const [first] = result.acts;
    if (values.still !== undefined && first !== undefined) {
      await writeFile(values.still, still(first.stage));
    }
    live.print(`\n${report(result)}\n`);
    live.print(`See it: ${pc.underline(relative(process.cwd(), fileURLToPath(PAGE)))}`);
    return findingsOf(result).every((finding) => finding.ok) ? 0 : 1;
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
