// @ts-check
// The stage of one act, in the process that runs the demo: keeps the record, fires the start gun,
// draws the finish line, measures the sprint, and waits for events with a limit.
import { EventEmitter, once } from 'node:events';
import { now, ofType, turnsOf } from './events.mjs';
import { TokenStore } from './token-store.mjs';
import { Troupe } from './troupe.mjs';

/** @typedef {import('./events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('./acts/index.mjs').Act} Act */

/** The longest that anything on stage may take. */
const PATIENCE_MS = 10_000;

/**
 * @typedef {object} Production what all acts of one run share
 * @property {string} url
 * @property {string} keyPrefix
 * @property {number} leaseMs
 * @property {number} sprintMs
 * @property {string} sabotage
 * @property {import('../dist/index.js').Client} client
 * @property {import('ioredis').Redis} redis
 * @property {import('./live.mjs').Live} live
 */

/** @typedef {{ from: bigint, to: bigint, scripts: number }} Measured script calls in a span */

export class Stage {
  /** @type {DemoEvent[]} */
  events = [];
  /** @type {Measured | undefined} */
  measured;
  troupe;
  /** @type {number[]} the workers' numbers */
  workers;
  #news = new EventEmitter();
  /** @type {Error | undefined} a worker that ended although it should not */
  #failure;
  #live;
  #client;

  /**
   * @param {Act} act
   * @param {Production} production
   */
  constructor(act, production) {
    const { client, redis, live, ...casting } = production;
    this.act = act;
    this.redis = redis;
    this.keyPrefix = production.keyPrefix;
    this.leaseMs = production.leaseMs;
    this.store = new TokenStore({ checksTokens: production.sabotage !== 'unfenced' });
    this.workers = Array.from({ length: act.workers }, (_, index) => index + 1);
    this.#client = client;
    this.#live = live;
    this.troupe = new Troupe({
      size: act.workers,
      casting: { ...casting, act: act.id },
      report: (worker, report) => this.#hear(worker, report),
      fail: (error) => {
        this.#failure ??= error;
        this.#news.emit('events');
      },
    });
  }

  get turns() {
    return turnsOf(this.events);
  }

  /** @param {number} worker @param {import('./troupe.mjs').Report} report */
  #hear(worker, { events, write }) {
    if (events !== undefined) {
      this.events.push(...events);
      this.#news.emit('events');
    }
    return write && { id: write.id, accepted: this.store.write(worker, write.token) };
  }

  /** @param {string} line */
  announce(line) {
    this.#live.say(this, line);
  }

  /**
   * Records what the stage itself does.
   * @param {string} type
   * @param {number} [worker] whom it befalls
   */
  record(type, worker = 0) {
    const at = now();
    this.events.push({ at, worker, type });
    return at;
  }

  /**
   * Waits until the record fulfils a condition.
   * @param {string} what
   * @param {() => boolean} condition
   */
  async until(what, condition) {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    while (!condition()) {
      if (this.#failure !== undefined) {
        throw this.#failure;
      }
      await once(this.#news, 'events', { signal }).catch((error) => {
        throw new Error(`waited in vain for ${what}`, { cause: error });
      });
    }
  }

  /** @param {string} type @param {number[]} [workers] */
  #all(type, workers = this.workers) {
    return workers.every((worker) =>
      this.events.some((e) => e.type === type && e.worker === worker),
    );
  }

  /** A latch of one, for which every worker waits. */
  async fireStartGun() {
    const gun = this.#client.getCountDownLatch(`${this.act.id}:start-gun`);
    await gun.trySetCount(1);
    this.announce(`${this.workers.length} workers walk to the start`);
    await this.until('all workers at the start', () => this.#all('ready'));
    const from = now();
    const before = await this.#scriptCalls();
    this.announce('start gun');
    this.record('gun');
    await gun.countDown();
    this.measured = { from, to: from, scripts: -before };
  }

  /** All turns as quick as they come, and the script calls that they cost. */
  async watchSprint() {
    await this.until('the end of the sprint', () => this.#all('sprinted'));
    if (this.measured !== undefined) {
      this.measured.scripts += await this.#scriptCalls();
      this.measured.to = now();
    }
  }

  async #scriptCalls() {
    const info = await this.redis.info('commandstats');
    const calls = info.matchAll(/^cmdstat_eval(?:sha)?(?:_ro)?:calls=(\d+)/gm);
    return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /**
   * A latch that every worker left counts down, and for which all of them wait.
   * @param {{ without?: number[] }} [options]
   */
  async crossFinishLine({ without = [] } = {}) {
    const left = this.workers.filter((worker) => !without.includes(worker));
    const line = this.#client.getCountDownLatch(`${this.act.id}:finish-line`);
    await line.trySetCount(left.length);
    this.announce(`finish line for ${left.length} workers`);
    this.troupe.cue('stop');
    await this.until('all workers over the finish line', () => this.#all('finished', left));
    this.troupe.cue('leave');
    const late = await this.troupe.ended(3_000);
    for (const worker of late) {
      this.record('trouble', worker);
    }
  }

  /** When the start gun was fired. */
  get gunAt() {
    return ofType(this.events, 'gun')[0]?.at ?? this.events[0]?.at ?? 0n;
  }
}
