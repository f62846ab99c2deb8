// @ts-check
// Progress while the demo runs: a few lines for each act that is on, which keep changing on a
// terminal; plain lines elsewhere.
import logUpdate from 'log-update';
import pc from 'picocolors';
import { msBetween, now } from './events.mjs';

/** @typedef {import('./stage.mjs').Stage} Stage */

/** The worker's last event -> what it is doing, and its colour. */
const DOING = /** @type {Record<string, [string, (text: string) => string]>} */ ({
  ready: ['at the start', pc.dim],
  go: ['off', pc.dim],
  asked: ['waits', pc.dim],
  held: ['holds', pc.cyan],
  'at-mercy': ['holds', pc.cyan],
  paused: ['FROZEN', pc.yellow],
  killed: ['KILLED', pc.red],
  arrived: ['at the finish line', pc.dim],
  finished: ['over the line', pc.green],
});

const FRAME_MS = 80;

export class Live {
  #onTerminal = process.stdout.isTTY && process.env['CI'] === undefined;
  #began = now();
  /** @type {Map<Stage, string>} what is on, and its last line */
  #on = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** A line that stays. @param {string} text */
  print(text) {
    if (this.#onTerminal) {
      logUpdate.clear();
    }
    console.log(text);
  }

  /** The next step of an act. @param {Stage} stage @param {string} line */
  say(stage, line) {
    if (this.#onTerminal) {
      this.#on.set(stage, line);
      this.#timer ??= setInterval(() => this.#draw(), FRAME_MS);
      this.#draw();
    } else {
      console.log(`${this.#clock()}  ${stage.act.title}: ${line}`);
    }
  }

  /** The act is over; its lines stay as they are. @param {Stage} stage */
  done(stage) {
    const line = this.#on.get(stage);
    if (line !== undefined) {
      this.print(this.#block(stage, line));
      this.#on.delete(stage);
    }
    if (this.#on.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }

  #clock() {
    return pc.dim(`${(msBetween(this.#began, now()) / 1_000).toFixed(1).padStart(4)} s`);
  }

  #draw() {
    logUpdate([...this.#on].map(([stage, line]) => this.#block(stage, line)).join('\n'));
  }

  /** @param {Stage} stage @param {string} line */
  #block(stage, line) {
    const grants = new Map(stage.workers.map((worker) => [worker, 0]));
    /** @type {Map<number, string>} */
    const doing = new Map();
    for (const { type, worker } of stage.events) {
      grants.set(worker, (grants.get(worker) ?? 0) + (type === 'held' ? 1 : 0));
      doing.set(worker, type in DOING ? type : (doing.get(worker) ?? 'ready'));
    }
    const most = Math.max(1, ...grants.values());
    const rows = stage.workers.map((worker) => {
      const count = grants.get(worker) ?? 0;
      const [word, paint] = DOING[doing.get(worker) ?? 'ready'] ?? ['', String];
      const name = stage.nameOf(worker).padEnd(9);
      const bar = '█'.repeat(Math.round((count / most) * 24)).padEnd(24, '·');
      return `         ${name}  ${pc.cyan(bar)} ${String(count).padStart(5)}  ${paint(word)}`;
    });
    return `${this.#clock()}  ${pc.bold(stage.act.title)}: ${line}\n${rows.join('\n')}\n`;
  }
}
