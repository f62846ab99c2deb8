// A lock with local runs beside Java for as long as REDLATCH_LOAD_MS says, by default some seconds: how
// often each gets it, and how long they wait.

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { heard, startCrowd, tell } from '../../process/crowd.js';
import { ENTER, LEAVE } from '../../process/workers/gauge.mjs';
import type { WorkerMessage } from '../../support/processes.js';
import { redisUrl } from '../../support/redis.js';
import { interopWorlds, type World } from '../support/world.js';

interface Done {
  readonly sections: number;
  readonly longestWaitMs: number;
}

interface Side {
  readonly turns: number;
  readonly sections: number;
  /** Sections a second of each thread or process. */
  readonly rate: number;
  readonly longestWaitMs: number;
}

const SCRIPT = fileURLToPath(new URL('workers/sections.mjs', import.meta.url));
const LOAD_MS = Number(process.env['REDLATCH_LOAD_MS'] ?? 6_000);
const NO_LIMIT = 1_000_000;
const FOR_EVER = 1_000_000_000;
/** Java alone takes the lock for no longer than that. */
const ALONE_MS = Math.min(LOAD_MS, 60_000);
/** Of Java, and processes of Node. */
const THREADS = 2;
/** Waiters in each process of Node, which pass the lock on among themselves. */
const LOOPS = 3;
/** Java alone has as many threads as there are threads and waiters together. */
const THREADS_ALONE = THREADS + THREADS * LOOPS;
/** Of Java's rate alone: rates of some seconds on a busy machine differ by a third, and one that starves has none. */
const RATE_MIN = 0.5;

const open = interopWorlds('beside');

const sectionsOf = (all: readonly Done[]): number =>
  all.reduce((sum, { sections }) => sum + sections, 0);

/** Lets so many threads of Java, and so many processes of Node, take the lock for so long. */
async function contend(
  { java, raw }: World,
  name: string,
  [threads, processes]: readonly [number, number],
  forMs: number,
): Promise<{ java: Side; node: Side; clashes: number }> {
  const gauge = `${name}:gauge`;
  const crowd = await startCrowd(SCRIPT, processes, () => {
    return [redisUrl(), name, 'lock', 'alone', FOR_EVER, NO_LIMIT, 'direct', LOOPS];
  });
  const args = { enter: ENTER, leave: LEAVE, gauge, side: 'alone', counter: `${name}:counter` };
  const ofJava = Array.from({ length: threads }, async (_, i) => {
    const limits = { total: FOR_EVER, limit: NO_LIMIT };
    const thread = java.thread(`${name} ${i}`);
    return await thread.call<Done>('sections.lock', name, { ...args, ...limits });
  });
  tell(crowd, { type: 'go' });
  const ofNode = heard<Done & WorkerMessage>(crowd, 'done', { withinMs: forMs + 30_000 });
  await new Promise((resolve) => {
    setTimeout(resolve, forMs);
  });
  // They go on until so many have entered.
  await raw.hincrby(gauge, 'entries', FOR_EVER);
  const [javas, nodes] = await Promise.all([Promise.all(ofJava), ofNode]);

  const counts = await raw.hgetall(gauge);
  const turnsOf = (isTheirs: (who: string) => boolean): number =>
    Object.entries(counts)
      .filter(([field]) => field.startsWith('turns ') && isTheirs(field.slice(6)))
      .reduce((sum, [, count]) => sum + Number(count), 0);
  const side = (all: readonly Done[], isTheirs: (who: string) => boolean): Side => ({
    turns: turnsOf(isTheirs),
    sections: sectionsOf(all),
    rate: sectionsOf(all) / all.length / (forMs / 1_000),
    longestWaitMs: Math.max(0, ...all.map(({ longestWaitMs }) => longestWaitMs)),
  });
  await raw.del(gauge, `${name}:counter`);
  return {
    java: side(javas, (who) => who.startsWith('java')),
    node: side(nodes, (who) => !who.startsWith('java')),
    clashes: Number(counts['clashes'] ?? 0),
  };
}

test(
  'beside waiters of Node a thread of Java gets a lock at least half as often as beside as many threads of Java, and nobody waits for 2 s',
  { timeout: 60_000 + ALONE_MS + LOAD_MS },
  async (context) => {
    const world = await open(context);
    const alone = await contend(world, `${world.name}-alone`, [THREADS_ALONE, 0], ALONE_MS);
    const mixed = await contend(world, `${world.name}-mixed`, [THREADS, THREADS], LOAD_MS);
    const shown = JSON.stringify({ alone: alone.java, java: mixed.java, node: mixed.node });
    process.stderr.write(`beside: ${shown}\n`);

    expect([alone.clashes, mixed.clashes]).toEqual([0, 0]);
    expect(mixed.java.longestWaitMs, shown).toBeLessThan(2_000);
    expect(mixed.node.longestWaitMs, shown).toBeLessThan(2_000);
    expect(mixed.java.rate / alone.java.rate, shown).toBeGreaterThanOrEqual(RATE_MIN);
    // Some of Node's turns had several sections.
    expect(mixed.node.sections, shown).toBeGreaterThan(mixed.node.turns);
    const evenTurns = (mixed.java.turns + mixed.node.turns) / 2;
    expect(Math.min(mixed.java.turns, mixed.node.turns), shown).toBeGreaterThanOrEqual(
      evenTurns / 4,
    );
  },
);
