// @ts-check
// The stage of one act, in the process that runs the demo: keeps the record, fires the start gun,
// draws the finish line, and waits for events with a limit.
import { EventEmitter, once } from 'node:events';
import { called, latchCall, now, ofType } from './events.mjs';
import { Store } from './store.mjs';
import { Troupe } from './troupe.mjs';

/** @typedef {import('./events.mjs').DemoEvent} DemoEvent */
/** @typedef {import('./acts/index.mjs').Act} Act */

/**
 * @typedef {object} Production what all acts of one run share
 * @property {string} url
 * @property {string} keyPrefix
 * @property {number} leaseMs
 * @property {number} sprintMs
 * @property {string} sabotage
 * @property {number} patienceMs the longest that anything on stage may take
 * @property {import('../dist/index.js').Client} client
 * @property {import('ioredis').Redis} redis
 * @property {(line: string) => void} say tells the audience
 */

/** A busy machine may take so long to start processes. */
const START_MS = 20_000;

export class Stage {
  /** @type {DemoEvent[]} */
  events = [];
  troupe;
  /** @type {number[]} the workers' numbers */
  workers;
  #news = new EventEmitter();
  /** @type {Error | undefined} a worker that ended although it should not */
  #failure;
  #say;
  #patienceMs;

  /**
   * @param {Act} act
   * @param {Production} production
   */
  constructor(act, production) {
    const { client, redis, say, patienceMs, ...casting } = production;
    this.act = act;
    this.client = client;
    this.redis = redis;
    this.keyPrefix = production.keyPrefix;
    this.leaseMs = production.leaseMs;
    this.store = new Store({
      checksTokens: act.kind === 'fenced' && production.sabotage !== 'unfenced',
    });
    this.workers = Array.from({ length: act.workers }, (_, index) => index + 1);
    this.#say = say;
    this.#patienceMs = patienceMs;
    this.troupe = new Troupe({
      size: act.workers,
      casting: { ...casting, act: act.id },
      report: (worker, report) => this.#hear(worker, report),
      fail: (error) => {
        this.#failure ??= error;
        this.#news.emit('news');
      },
    });
  }

  /** @param {number} worker @param {import('./troupe.mjs').Report} report */
  #hear(worker, { events, request }) {
    if (events !== undefined) {
      this.events.push(...events);
      this.#news.emit('news');
    }
    return request && this.store.serve(worker, request);
  }

  /** @param {string} line */
  announce(line) {
    this.#say(`${this.act.title}: ${line}`);
  }

  /**
   * Records what the stage itself does.
   * @param {string} type
   * @param {number} [worker] whom it befalls
   * @param {string} [message]
   */
  record(type, worker = 0, message) {
    const at = now();
    this.events.push({ at, worker, type, ...(message === undefined ? {} : { message }) });
    return at;
  }

  /**
   * Makes a call, and records it.
   * @param {Parameters<typeof called>[0]} given
   * @param {() => Promise<unknown>} make
   */
  async call(given, make) {
    const call = await called(given, make);
    this.events.push({ at: now(), worker: 0, type: 'call', call });
  }

  /**
   * Waits until the record fulfils a condition.
   * @param {string} what
   * @param {() => boolean} condition
   * @param {number} [patienceMs]
   */
  async until(what, condition, patienceMs = this.#patienceMs) {
    const signal = AbortSignal.timeout(patienceMs);
    while (!condition()) {
      if (this.#failure !== undefined) {
        throw this.#failure;
      }
      await once(this.#news, 'news', { signal }).catch((error) => {
        throw new Error(`waited in vain for ${what}`, { cause: error });
      });
    }
  }

  /** @param {string} type @param {number} worker @param {number} [since] */
  has(type, worker, since = 0) {
    return ofType(this.events, type, worker).some((event) => event.at > since);
  }

  /** @param {string} type @param {number[]} [workers] */
  #all(type, workers = this.workers) {
    return workers.every((worker) => this.has(type, worker));
  }

  /** The workers come in and take turns, all as quick as they come, for a little while. */
  async sprint() {
    await this.act.prepare?.(this);
    this.troupe.enter();
    await this.#fireStartGun();
    await this.until('the end of the sprint', () => this.#all('sprinted'));
  }

  /** A latch of one, for which every worker waits. */
  async #fireStartGun() {
    const gun = this.client.getCountDownLatch(`${this.act.id}:start-gun`);
    await this.call(latchCall('start gun', 'set'), async () => await gun.trySetCount(1));
    this.announce(`${this.workers.length} workers walk to the start`);
    await this.until('all workers at the start', () => this.#all('ready'), START_MS);
    this.announce('start gun');
    this.record('gun');
    await this.call(latchCall('start gun', 'count down'), async () => await gun.countDown());
  }

  /** A latch that every worker left counts down, and for which all of them wait. */
  async crossFinishLine() {
    const left = this.workers.filter((worker) => !this.has('killed', worker));
    const line = this.client.getCountDownLatch(`${this.act.id}:finish-line`);
    const call = latchCall('finish line', 'set', left.length);
    await this.call(call, async () => await line.trySetCount(left.length));
    this.announce(`finish line for ${left.length} workers`);
    this.troupe.cue('stop');
    await this.until('all workers over the finish line', () => this.#all('finished', left));
    this.troupe.cue('leave');
    const late = await this.troupe.ended(3_000);
    for (const worker of late) {
      this.record('trouble', worker, 'did not end by itself');
    }
  }

  /** The act cannot go on. What was recorded until now is checked all the same. @param {Error} error */
  async breakOff(error) {
    this.record('trouble', 0, error.message);
    this.announce(`broken off: ${error.message}`);
    await this.troupe.ended(0);
  }

  /** What a worker is called: by what it does, where not all do the same. @param {number} worker */
  nameOf(worker) {
    return `${this.act.role?.(worker) ?? 'worker'} ${worker}`;
  }

  /** When the start gun was fired. */
  get gunAt() {
    return ofType(this.events, 'gun')[0]?.at ?? this.events[0]?.at ?? 0;
  }
}
