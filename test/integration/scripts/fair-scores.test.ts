// The scores of a fair lock's queue in which waiters of Java and ours come and go: Java takes none of ours
// for dead that is alive, and no score runs away.

import { expect, test } from 'vitest';
import { chance, type Chance } from '../../process/random.js';
import { AHEAD_MS, JAVA, LEASE_MS, ONE, PATIENCE_MS, stage, START, TWO } from './fair-scripts.js';
import { JavaWaiters, type Done } from './java-waiters.js';

/** A client of ours asks for its first waiter so often. */
const BEAT_MS = 1_300;
/** How far ahead of the patience of all who wait a score may be. That of a Java waiter at the head includes
 * the lease before it, and what is behind a dead one is read twice 5 s late at most. */
const AHEAD_MAX_MS = 2 * AHEAD_MS + LEASE_MS;
const STEPS = 250;

interface Waiter {
  readonly id: string;
  /** How long it waits, in Java. */
  readonly patienceMs: number;
  isDead: boolean;
}

/** A fair lock, and all who want it. */
class World {
  readonly #scripts: Awaited<ReturnType<typeof stage>>;
  readonly #java: JavaWaiters;
  readonly #draw: Chance;
  readonly #patiences: readonly number[];
  readonly #waiters: Waiter[] = [];
  readonly #beats = new Map<string, number>();
  /** Patience of those of Java that died and were dropped: no score is shifted for them. */
  #lostMs = 0;
  #count = 0;
  now = START;
  readonly wrong: string[] = [];
  /** The furthest that a score was beyond the patience of those who wait. */
  aheadMs = 0;
  grants = { ours: 0, java: 0 };

  constructor(
    scripts: Awaited<ReturnType<typeof stage>>,
    draw: Chance,
    patiences: readonly number[],
  ) {
    this.#scripts = scripts;
    this.#java = new JavaWaiters(scripts.redis, scripts.keys);
    this.#draw = draw;
    this.#patiences = patiences;
  }

  async step(mayDie: boolean): Promise<void> {
    this.now += this.#draw.between(0, 500);
    const due = [ONE, TWO].filter((client) => this.now - (this.#beats.get(client) ?? 0) > BEAT_MS);
    for (const client of due) {
      await this.#ask(client);
    }
    const act = this.#draw.between(0, 9);
    const alive = this.#waiters.filter(({ isDead }) => !isDead);
    if (act < 2 && this.#waiters.length < 12) {
      await this.#enter();
    } else if (act < 3 && alive.length > 0) {
      await this.#leave(alive[this.#draw.between(0, alive.length - 1)]!, mayDie);
    } else if (act < 7) {
      await this.#release();
    } else {
      await this.#attempts();
    }
    await this.#look();
  }

  async #enter(): Promise<void> {
    this.#count += 1;
    const isJava = this.#draw.between(0, 1) === 0;
    const client = isJava ? JAVA : this.#draw.between(0, 1) === 0 ? ONE : TWO;
    const patienceMs = isJava
      ? this.#patiences[this.#draw.between(0, this.#patiences.length - 1)]!
      : 0;
    const waiter = { id: `${client}:${this.#count}`, patienceMs, isDead: false };
    this.#waiters.push(waiter);
    if (isJava) {
      await this.#attempt(waiter);
    } else if ((await this.#scripts.acquire(this.now, waiter.id)) === null) {
      this.#isIn(waiter);
    } else {
      this.#beats.set(client, this.#beats.get(client) ?? this.now);
    }
  }

  async #leave(waiter: Waiter, mayDie: boolean): Promise<void> {
    if (!waiter.id.startsWith(JAVA)) {
      this.#remove(waiter);
      await this.#scripts.release(this.now, waiter.id);
    } else if (mayDie) {
      waiter.isDead = true;
    } else {
      this.#remove(waiter);
      await this.#java.fail(this.now, waiter.id, waiter.patienceMs);
    }
  }

  /** Whoever has the lock gives it back. */
  async #release(): Promise<void> {
    const [holder] = await this.#scripts.redis.hkeys(this.#scripts.keys.lock);
    if (holder?.startsWith(JAVA) === true) {
      this.#judge(await this.#java.release(this.now));
    } else if (holder !== undefined) {
      await this.#scripts.release(this.now, holder);
    }
    await this.#attempts();
  }

  /** Those who may get in try to. */
  async #attempts(): Promise<void> {
    for (const waiter of this.#waiters.filter(({ id }) => id.startsWith(JAVA)).slice(0, 2)) {
      await this.#attempt(waiter);
    }
    for (const client of [ONE, TWO]) {
      await this.#ask(client);
    }
  }

  async #attempt(waiter: Waiter): Promise<void> {
    if (!waiter.isDead) {
      const done = await this.#java.attempt(this.now, waiter.id, waiter.patienceMs);
      this.#judge(done);
      if (done.isIn) {
        this.#isIn(waiter);
        this.grants.java += 1;
      }
    }
  }

  async #ask(client: string): Promise<void> {
    const first = this.#waiters.find(({ id }) => id.startsWith(client));
    if (first !== undefined) {
      this.#beats.set(client, this.now);
      if ((await this.#scripts.acquire(this.now, first.id, 'front')) === null) {
        this.#isIn(first);
      }
    }
  }

  #isIn(waiter: Waiter): void {
    this.#remove(waiter);
    this.grants[waiter.id.startsWith(JAVA) ? 'java' : 'ours'] += 1;
  }

  #remove(waiter: Waiter): void {
    this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
  }

  #judge({ evicted }: Done): void {
    for (const id of evicted.filter((each) => !each.startsWith(JAVA))) {
      this.wrong.push(`at ${this.now - START} Java took ${id} for dead`);
    }
  }

  async #look(): Promise<void> {
    const line = await this.#scripts.line();
    const ids = new Set(line.map(([id]) => id));
    for (const waiter of this.#waiters.filter(({ id, isDead }) => isDead && !ids.has(id))) {
      this.#remove(waiter);
      this.#lostMs += waiter.patienceMs;
    }
    this.#lostMs = line.some(([id]) => String(id).startsWith(JAVA)) ? this.#lostMs : 0;
    const patienceMs = this.#waiters.reduce((sum, waiter) => sum + waiter.patienceMs, 0);
    const furthest = Math.max(0, ...line.map(([, score]) => Number(score)));
    const aheadMs = furthest - (this.now - START) - patienceMs - this.#lostMs;
    this.aheadMs = Math.max(this.aheadMs, aheadMs);
  }
}

const patiences: [string, number[]][] = [
  ['5 s', [5_000]],
  ['the default', [PATIENCE_MS]],
  ['300 ms to an hour', [300, 5_000, 20_000, PATIENCE_MS, 3_600_000]],
];
const cases = patiences.flatMap(([what, ofJava]) =>
  [false, true].map((mayDie) => ({
    title: `Java waiters with a patience of ${what}, ${mayDie ? 'some of which die' : 'all alive'}`,
    ofJava,
    mayDie,
  })),
);

test.each(cases)('$title', async ({ title, ofJava, mayDie }) => {
  const grants = { ours: 0, java: 0 };
  for (const draw of [chance(title, 1), chance(title, 2), chance(title)]) {
    const world = new World(await stage(), draw, ofJava);
    for (let step = 0; step < STEPS; step += 1) {
      await world.step(mayDie);
    }
    grants.ours += world.grants.ours;
    grants.java += world.grants.java;
    expect(world.wrong).toEqual([]);
    expect(world.aheadMs).toBeLessThanOrEqual(AHEAD_MAX_MS);
  }
  expect(Math.min(grants.ours, grants.java)).toBeGreaterThan(5);
});
