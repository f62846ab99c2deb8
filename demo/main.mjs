// @ts-check
// `npm run demo`: real Redis, real worker processes, real accidents, and a page to look at.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pc from 'picocolors';
import { createClient } from '../dist/index.js';
import { RedisUnavailableError, startRedis } from '../scripts/redis/provider.mjs';
import { acts } from './acts/index.mjs';
import { checkEveryAct, checkLatches } from './check.mjs';
import { figuresOf, latchFigures } from './figures.mjs';
import { Live } from './live.mjs';
import { findingsOf, report } from './report.mjs';
import { Stage } from './stage.mjs';
import { timelinePage } from './timeline.mjs';
import { endAllWorkers } from './troupe.mjs';

/** @typedef {import('./stage.mjs').Production} Production */

const LEASE_MS = 1_200;
const SPRINT_MS = 800;
const PAGE = new URL('../out/demo-timeline.html', import.meta.url);

const SABOTAGES = new Set(['', 'unlocked', 'unfenced']);

const HELP = `npm run demo

Starts a Redis and ten worker processes, has them fight for locks, kills one of them and freezes
another while they hold, checks from the record that nothing went wrong, and draws the record.
Exit code 0: every invariant held. 1: one was violated, or the demo could not be played.

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
 */
async function play(act, production) {
  const stage = new Stage(act, production);
  await act.orchestrate(stage);
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

/** @param {Production} production */
async function playAll(production) {
  const acted = [];
  for (const act of acts) {
    acted.push(await play(act, production));
  }
  const stages = acted.map(({ stage }) => stage);
  const findings = stages.flatMap(checkLatches);
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
  const server = await startRedis({ purpose: 'demo' });
  const live = new Live();
  const shared = server.kind === 'url';
  const whose = shared ? 'yours, by REDIS_URL' : `own ${server.kind}`;
  live.print(`${pc.bold('latchkey demo')} on ${server.version} (${whose})\n`);
  const keyPrefix = `demo:${randomBytes(6).toString('hex')}:`;
  const casting = { url: server.url, keyPrefix, leaseMs: LEASE_MS, sprintMs: SPRINT_MS };
  const redis = new Redis(server.url);
  const client = createClient({ redis: server.url, keyPrefix });
  /** @type {Promise<void> | undefined} */
  let cleaned;
  const cleanUp = () => (cleaned ??= leave({ server, client, redis, keyPrefix }));
  const interrupted = () => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const played = await playAll({ ...casting, sabotage, live, client, redis });
    const result = {
      ...played,
      server: server.version,
      shared,
      leaseMs: LEASE_MS,
      playedAt: new Date(),
    };
    await mkdir(new URL('.', PAGE), { recursive: true });
    await writeFile(PAGE, timelinePage(result));
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
