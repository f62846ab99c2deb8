// Makes happen what the plan of faults says.

import { setTimeout as delay } from 'node:timers/promises';
import { killConnections } from '../property/faults.js';
import type { ProxyConnection } from '../support/proxy.js';
import { stepBack } from './clock-back.js';
import { failOver } from './failover.js';
import type { Fault } from './fault-plan.js';
import { fill } from './full.js';
import { LATE_COPY_MS, now } from './history.js';
import type { Processes } from './processes.js';
import { COMMAND_TIMEOUT_MS, type Scene } from './scene.js';
import { has } from './seeds.js';
import { releasedHolders } from './wire.js';

/** min(commandTimeoutMs, max(500 ms, leaseMs / 6)), as the documentation has it. */
const ANSWER_LIMIT_MS = Math.min(COMMAND_TIMEOUT_MS, 500);

/** max(commandTimeoutMs, 2 s), which a connection has until it is ready. */
const READY_LIMIT_MS = Math.max(COMMAND_TIMEOUT_MS, 2_000);

/** A command connection that swallows, and since when its client could know. */
interface Swallowing {
  readonly connection: ProxyConnection;
  readonly place: number;
  readonly sentBefore: number;
  askedAt: number | undefined;
}

export class Faults {
  readonly #scene: Scene;
  readonly #processes: Processes | undefined;
  readonly #under = new Set<Promise<void>>();
  readonly #swallowing = new Set<Swallowing>();

  constructor(scene: Scene, processes: Processes | undefined) {
    this.#scene = scene;
    this.#processes = processes;
  }

  /** Runs the plan; resolves when nothing goes wrong any more. */
  async run(plan: readonly Fault[], forMs: number): Promise<void> {
    const startedAt = now();
    const watching = setInterval(() => this.#watch(), 20);
    for (const fault of plan) {
      await delay(Math.max(0, startedAt + fault.atMs - now()));
      const { atMs: _, fault: what, ...how } = fault;
      const text = Object.values(how).join(' ');
      this.#scene.history.note('fault', undefined, `${what} ${text}`);
      const work = this.#cause(fault).finally(() => this.#under.delete(work));
      this.#under.add(work);
    }
    await delay(Math.max(0, startedAt + forMs - now()));
    // Those in the dark have to find out by themselves.
    await Promise.all(this.#scene.routes.map(async (route) => await route.mend()));
    await Promise.all(this.#under);
    await Promise.all(this.#scene.routes.map(async (route) => await route.mend()));
    this.#scene.history.note('fault', undefined, 'all is well again');
    clearInterval(watching);
  }

  async #cause(fault: Fault): Promise<void> {
    const { raw, routes } = this.#scene;
    const route = 'client' in fault ? routes[fault.client]! : routes[0]!;
    switch (fault.fault) {
      case 'delay':
        return route.delay(fault.ms);
      case 'cut':
        return route.cut(fault.which);
      case 'kill':
        return await killConnections(raw, this.#scene.connectionName(fault.client), fault.which);
      case 'swallow':
        return this.#swallow(fault);
      case 'hold back':
        route.holdBack(fault.direction);
        await delay(fault.forMs);
        return route.resume(fault.direction);
      case 'lose answer':
        return route.loseNextAnswer();
      case 'repeat':
        route.repeatNext();
        await delay(fault.afterMs);
        await route.deliver();
        return;
      case 'unreachable':
        route.unreachable();
        await delay(fault.forMs);
        return await route.reachable();
      case 'forget scripts':
        await raw.script('FLUSH');
        return;
      case 'pause':
        await raw.call('CLIENT', 'PAUSE', fault.forMs, fault.mode);
        return;
      case 'block':
        return block(fault.forMs);
      case 'renew client':
        return await this.#scene.renew(fault.client);
      case 'flush':
        return await this.#flush();
      case 'set clock back':
        return await stepBack(this.#scene);
      case 'fill':
        return await fill(this.#scene);
      case 'fail over':
        return await failOver(this.#scene, fault.lostMs);
      case 'kill process':
        return await this.#processes?.kill();
      case 'freeze process':
        return await this.#processes?.freeze(fault.forMs);
    }
  }

  async #flush(): Promise<void> {
    const { history, raw, recorder, names } = this.#scene;
    const from = now();
    const gone = [names.gate, names.counter, names.relay].map((name) =>
      recorder.begin('fault', 'fault', 'delete', name),
    );
    const cause = { what: 'flush', name: undefined, client: undefined, from, until: Infinity };
    history.disturbances.push(cause);
    await raw.flushall();
    cause.until = now();
    for (const call of gone) {
      recorder.end(call, 'done');
    }
    this.#forgetForced(from);
    this.#scene.wasFlushed = true;
    for (const holder of releasedHolders(this.#scene.routes)) {
      this.#scene.forgotten.add(holder);
    }
    await this.#scene.setNumbers();
  }

  /** The server has forgotten which calls it ran: a late copy of a forced release runs again. */
  #forgetForced(from: number): void {
    const { history } = this.#scene;
    const forced = history.calls.filter(({ what }) => what.startsWith('force '));
    for (const name of new Set(forced.map((call) => call.name))) {
      const until = now() + LATE_COPY_MS;
      history.disturbances.push({ what: 'late force', name, client: undefined, from, until });
    }
  }

  #swallow({ client, which, direction }: Extract<Fault, { fault: 'swallow' }>): void {
    for (const connection of this.#scene.routes[client]!.swallow(which, direction)) {
      if (!connection.isSubscriber) {
        this.#swallowing.add({
          connection,
          place: client,
          sentBefore: connection.commands.length,
          askedAt: undefined,
        });
      }
    }
  }

  /** Whoever asks over a connection that swallows finds out within the limit of an answer. */
  #watch(): void {
    for (const swallowing of this.#swallowing) {
      const { connection, place, sentBefore, askedAt } = swallowing;
      const at = now();
      if (!connection.isOpen || connection.isSubscriber) {
        this.#swallowing.delete(swallowing);
      } else if (askedAt === undefined) {
        swallowing.askedAt = connection.commands.length > sentBefore ? at : undefined;
      } else {
        const { history } = this.#scene;
        const tookMs = at - askedAt - history.stalledMs(askedAt, at);
        const limitMs = isSignedIn(connection) ? ANSWER_LIMIT_MS * 2 : READY_LIMIT_MS;
        if (tookMs > limitMs + 1_000 && has('bounds')) {
          const text = `c${place} asks over a half-open connection for ${tookMs.toFixed(0)} ms`;
          history.violated('a half-open connection is noticed', undefined, text);
          this.#swallowing.delete(swallowing);
        }
      }
    }
  }
}

/** It has sent a script: until then it may not have been ready. */
function isSignedIn({ commands }: ProxyConnection): boolean {
  return commands.some(([name = '']) => /^eval/i.test(name));
}

/** Nothing in this process runs for a while. */
function block(forMs: number): void {
  const end = now() + forMs;
  while (now() < end) {
    // Busy.
  }
}
