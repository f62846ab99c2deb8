// Worker processes that join in, and are killed or stand still for longer than their lease.

import { setTimeout as delay } from 'node:timers/promises';
import { startWorker, type Worker, type WorkerMessage } from '../support/processes.js';
import type { Claim } from './history.js';
import type { Scene } from './scene.js';

const LEASE_MS = 400;

type Granted = WorkerMessage & {
  readonly claim: number;
  readonly kind: Claim['kind'];
  readonly name: string;
  readonly askedAt: number;
  readonly at: number;
  readonly holderId: string;
  readonly depth: number;
  readonly token?: string;
};
type Held = WorkerMessage & { readonly claim: number; readonly at: number };

export class Processes {
  readonly #scene: Scene;
  readonly #mortal: Worker;
  readonly #sleeper: Worker;
  readonly #mortalId: string;
  #isKilled = false;

  private constructor(
    scene: Scene,
    [mortal, sleeper]: readonly [Worker, Worker],
    mortalId: string,
  ) {
    this.#scene = scene;
    this.#mortal = mortal;
    this.#sleeper = sleeper;
    this.#mortalId = mortalId;
  }

  static async start(scene: Scene, seed: number): Promise<Processes> {
    const { lock, fair, fenced, rw, permits } = scene.names;
    const names = JSON.stringify({ lock, fair, fenced, rw, permits });
    const start = (which: number): Worker =>
      startWorker('chaos', {
        args: [scene.server.url, String(LEASE_MS), String((seed % 97) + which), names],
      });
    const workers = [start(0), start(1)] as const;
    const idOf = async (worker: Worker): Promise<string> => {
      const { id } = await worker.message<WorkerMessage & { id: string }>('ready');
      scene.ids.set(id, `process ${worker.pid}`);
      return id;
    };
    const mortalId = await idOf(workers[0]);
    await idOf(workers[1]);
    return new Processes(scene, workers, mortalId);
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    await this.#mortal.kill();
    this.#scene.killed.add(this.#mortalId);
  }

  /** Stands still for longer than its lease. */
  async freeze(forMs: number): Promise<void> {
    this.#sleeper.signal('SIGSTOP');
    await delay(forMs);
    this.#sleeper.signal('SIGCONT');
  }

  /** Lets them come to their end, and takes over what they were told. */
  async end(): Promise<void> {
    const { history } = this.#scene;
    const left = this.#isKilled ? [this.#sleeper] : [this.#mortal, this.#sleeper];
    for (const worker of left) {
      worker.send({ type: 'end' });
    }
    await Promise.all(
      left.map(async (worker) => {
        try {
          await worker.message('done', { withinMs: 12_000 });
          await worker.exited;
        } catch (error) {
          history.violated('nobody waits for ever', undefined, String(error));
        }
      }),
    );
    for (const worker of [this.#mortal, this.#sleeper]) {
      this.#takeOver(worker);
    }
  }

  #takeOver(worker: Worker): void {
    const { history } = this.#scene;
    const claims = new Map<number, Claim>();
    for (const message of worker.messages) {
      if (message.type === 'granted') {
        const {
          claim: number,
          kind,
          name,
          askedAt,
          at,
          holderId,
          depth,
          token,
        } = message as Granted;
        const id = history.claims.length;
        const actor = `process ${worker.pid}`;
        const claim: Claim = {
          id,
          name,
          kind,
          client: actor,
          actor,
          root: id,
          parent: undefined,
          holderId,
          depth,
          token: token === undefined ? undefined : BigInt(token),
          askedAt,
          grantedAt: at,
          first: undefined,
          last: undefined,
          releasedAt: undefined,
        };
        history.lengthen(id, LEASE_MS);
        history.claims.push(claim);
        history.notes.push({ at, who: actor, name, text: `${kind} granted` });
        claims.set(number, claim);
        if (depth !== 1) {
          const text = `${actor} was told depth ${depth} without any scope`;
          history.violated('only who is inside re-enters', name, text, at);
        }
      } else if (message.type === 'held') {
        const { claim: number, at } = message as Held;
        const claim = claims.get(number)!;
        claim.first ??= at;
        claim.last = at;
      }
    }
  }
}
