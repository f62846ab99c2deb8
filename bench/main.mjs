// @ts-check
// `npm run bench`: what coordination costs, next to the same scripts sent by a bare driver. Only
// ratios and counts are judged: absolute times belong to the machine.
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Redis } from 'ioredis';
import { RedisUnavailableError, startRedis } from '../scripts/redis/provider.mjs';
import { figures } from './figures/index.mjs';
import { peers } from './peers/index.mjs';
import { quorum } from './peers/quorum.mjs';
import { endAllWorkers } from './lib/bench-worker.mjs';
import { verdictOf, report, reportJson, reportPage, setting } from './lib/report.mjs';

const HELP = `npm run bench -- [options]

  --quick      one minute instead of about 12, with --peers 7 instead of 23; noisier
  --peers      other libraries beside redlatch, instead of the figures
  --only TEXT  only the figures whose id contains TEXT: ${figures.map(({ id }) => id).join(', ')};
               with --peers: peers, quorum
  --json FILE  also write the figures to FILE
  --page FILE  also write them as a page: docs/figures.md, or docs/peers.md; the README quotes from both,
               and is written anew with either
  --html FILE  with --peers: also draw them as a page of charts
  --check      exit code 1 when a target is missed

Environment
  REDLATCH_TEST_REDIS_URL  use this server instead of starting one (standalone, and idle: commands
                           are counted on it; own keys only, deleted after)
`;

/** Deletes what was left on a server that goes on.
 * @param {string} url
 * @param {string} keyPrefix */
async function sweep(url, keyPrefix) {
  const redis = new Redis(url);
  for await (const keys of redis.scanStream({ match: `*${keyPrefix}*`, count: 500 })) {
    if (Array.isArray(keys) && keys.length > 0) {
      await redis.unlink(keys.map(String));
    }
  }
  await redis.quit();
}

/**
 * @param {{ quick: boolean, only: string, peers: boolean }} options
 * @returns {Promise<import('./lib/report.mjs').Outcome>}
 */
async function measure({ quick, only, peers: besidePeers }) {
  const startedAt = performance.now();
  const server = await startRedis({ purpose: 'test' });
  const keyPrefix = `bench:${randomBytes(6).toString('hex')}:`;
  const cleanUp = async () => {
    endAllWorkers();
    if (server.kind === 'url') {
      await sweep(server.url, keyPrefix);
    }
    await server.stop();
  };
  const interrupted = () => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    const rows = [];
    for (const { id, title, measure: measureFigure } of besidePeers ? [peers, quorum] : figures) {
      if (id.includes(only)) {
        process.stderr.write(`bench: ${title}\n`);
        rows.push(...(await measureFigure({ url: server.url, keyPrefix, quick })));
      }
    }
    const ms = performance.now() - startedAt;
    return { rows, quick, isOfPeers: besidePeers, server: server.version, ms };
  } finally {
    await cleanUp();
  }
}

const [README, ...PAGES] = ['README.md', 'docs/figures.md', 'docs/peers.md'].map((file) =>
  fileURLToPath(new URL(`../${file}`, import.meta.url)),
);

/** Brings the table of the README up to date, where one of the pages that it quotes was written.
 * @param {string} page */
async function quoteInReadme(page) {
  if (README !== undefined && PAGES.includes(resolve(page))) {
    const { withFigures } = await import('./lib/readme.mjs');
    const pages = await Promise.all(PAGES.map(async (each) => await readFile(each, 'utf8')));
    await writeFile(README, await withFigures(await readFile(README, 'utf8'), pages));
  }
}

/** @returns {Promise<number>} the exit code */
async function main() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
      page: { type: 'string' },
      html: { type: 'string' },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const outcome = await measure(values);
  console.log(report(outcome));
  if (values.json !== undefined) {
    await writeFile(values.json, reportJson(outcome));
  }
  if (values.page !== undefined) {
    await writeFile(values.page, reportPage(outcome));
    if (values.only === '') {
      await quoteInReadme(values.page);
    }
  }
  if (values.html !== undefined && outcome.isOfPeers) {
    const { reportCharts } = await import('./lib/charts.mjs');
    await writeFile(values.html, reportCharts(outcome, setting(outcome)));
  }
  return values.check && outcome.rows.some((row) => verdictOf(row) === 'miss') ? 1 : 0;
}

// An explicit end, so that no worker outlives a failure (see bench-worker.mjs).
process.exit(
  await main().catch((error) => {
    console.error(error instanceof RedisUnavailableError ? error.message : error);
    return 1;
  }),
);
