// The same steps made by Java alone or by Node alone.

import { expect } from 'vitest';
import type { Client, ClientOptions, Hold, Lock } from '../../../src/index.js';
import { eventually } from '../../support/eventually.js';
import { channelsUnder } from '../../support/redis.js';
import type { JavaClient, JavaThread } from '../support/java.js';
import type { World } from '../support/world.js';

/** A process of its own, by the client ids on the wire. */
export type Who = 'A' | 'B' | 'C';
export type LockKind = 'lock' | 'fair' | 'fenced' | 'read' | 'write';

/** What one side does to one object. */
export interface Side {
  readonly language: 'java' | 'node';
  readonly name: string;
  readonly world: World;
  /** Client id -> who it is. */
  readonly clients: ReadonlyMap<string, string>;
  /** Acquires, or acquires once more what it holds already. */
  enter(who: Who, kind: LockKind, leaseMs?: number): Promise<void>;
  /** Asks once. */
  ask(who: Who, kind: LockKind): Promise<boolean>;
  /** Releases what it acquired last in this kind. */
  leave(who: Who, kind: LockKind): Promise<void>;
  /** Begins to wait in a lock that somebody has, and returns when it sleeps. */
  wait(who: Who, kind: LockKind, waitMs?: number): Promise<void>;
  force(kind: LockKind): Promise<boolean>;
  /** Begins something that waits for a message, and returns when it sleeps. */
  begin(java: JavaCall, node: NodeCall): Promise<void>;
  /** Whoever began to wait first has got what it waited for, or given up. */
  waited(): Promise<void>;
  /** Anything else, by one side or the other. */
  run<T>(java: JavaCall<T>, node: NodeCall<T>): Promise<T>;
  /** The permits it has got, in order, as the API names them. */
  readonly permits: string[];
  /** Nothing is under way any more. */
  settled(): Promise<void>;
}

type JavaCall<T = unknown> = (thread: JavaThread, name: string) => Promise<T>;
type NodeCall<T = unknown> = (client: Client, name: string) => Promise<T>;

abstract class AnySide {
  readonly name: string;
  readonly world: World;
  readonly clients = new Map<string, string>();
  readonly permits: string[] = [];
  protected readonly waiting: Promise<unknown>[] = [];

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
  }

  async waited(): Promise<void> {
    await this.waiting.shift();
  }

  async settled(): Promise<void> {
    await eventually(
      async () => {
        // Java takes this key away again without waiting for it.
        const latches = await this.world.raw.keys(`redisson_unlock_latch:{${this.name}}:*`);
        expect(latches).toEqual([]);
        expect(await this.asleep()).toBe(this.waiting.length);
      },
      { withinMs: 20_000 },
    );
  }

  /** Waits until one more sleeps. */
  protected async sleeps(waiting: Promise<unknown>): Promise<void> {
    // Looked at when it is awaited; until then nobody may take it for unhandled.
    waiting.catch(() => undefined);
    this.waiting.push(waiting);
    await eventually(async () => expect(await this.asleep()).toBe(this.waiting.length), {
      withinMs: 20_000,
    });
  }

  /** How many wait for a message. */
  protected async asleep(): Promise<number> {
    const channels = await channelsUnder(this.name, this.world.raw);
    const answer = channels.length > 0 ? await this.world.raw.pubsub('NUMSUB', ...channels) : [];
    return answer
      .filter((_, i) => i % 2 === 1)
      .reduce<number>((sum, each) => sum + Number(each), 0);
  }
}

export class JavaSide extends AnySide implements Side {
  readonly language = 'java';
  readonly #javas = new Map<Who, JavaClient>();

  /** Three clients; theirs is the lease where none is named. */
  static async start(world: World, name: string, leaseMs: number): Promise<JavaSide> {
    const side = new JavaSide(world, name);
    for (const who of ['A', 'B', 'C'] as const) {
      const client = await world.openJava({ leaseMs });
      side.clients.set(client.id, who);
      side.#javas.set(who, client);
    }
    return side;
  }

  async enter(who: Who, kind: LockKind, leaseMs?: number): Promise<void> {
    await this.#of(who).call(`${kind}.lock`, this.name, leaseMs === undefined ? {} : { leaseMs });
  }

  async ask(who: Who, kind: LockKind): Promise<boolean> {
    return await this.#of(who).call<boolean>(`${kind}.tryLock`, this.name);
  }

  async leave(who: Who, kind: LockKind): Promise<void> {
    await this.#of(who).call(`${kind}.unlock`, this.name);
  }

  async wait(who: Who, kind: LockKind, waitMs?: number): Promise<void> {
    const thread = this.#of(who);
    await this.sleeps(
      waitMs === undefined
        ? thread.call(`${kind}.lock`, this.name)
        : thread.call(`${kind}.tryLock`, this.name, { waitMs }),
    );
  }

  async force(kind: LockKind): Promise<boolean> {
    return await this.#of('C').call<boolean>(`${kind}.forceUnlock`, this.name);
  }

  async begin(java: JavaCall): Promise<void> {
    await this.sleeps(java(this.#of('B'), this.name));
  }

  async run<T>(java: JavaCall<T>): Promise<T> {
    return await java(this.#of('A'), this.name);
  }

  /** One who listens, and does not sleep yet, misses the message of a writer (R2). */
  protected override async sleeps(waiting: Promise<unknown>): Promise<void> {
    await super.sleeps(waiting);
    await eventually(
      async () => {
        const parked = [...this.#javas.values()].map(async (java) => await java.parked());
        const asleep = (await Promise.all(parked)).reduce((sum, each) => sum + each, 0);
        expect(asleep).toBe(this.waiting.length);
      },
      { withinMs: 20_000 },
    );
  }

  #of(who: Who): JavaThread {
    return this.#javas.get(who)!.thread('only');
  }
}

export class NodeSide extends AnySide implements Side {
  readonly language = 'node';
  /** Those that wait stand in a line. */
  #isLined = false;
  readonly #clients = new Map<Who, Client>();
  readonly #holds = new Map<Who, { kind: LockKind; hold: Hold }[]>();

  constructor(world: World, name: string, options: ClientOptions) {
    super(world, name);
    for (const who of ['A', 'B', 'C'] as const) {
      const client = world.open(options);
      this.clients.set(client.id, who);
      this.#clients.set(who, client);
      this.#holds.set(who, []);
    }
  }

  async enter(who: Who, kind: LockKind, leaseMs?: number): Promise<void> {
    const within = this.#holds.get(who)!.at(-1)?.hold;
    const hold = await this.#lock(who, kind).acquire({
      ...(leaseMs === undefined ? {} : { leaseMs }),
      ...(within === undefined ? {} : { within }),
    });
    this.#holds.get(who)!.push({ kind, hold });
  }

  async ask(who: Who, kind: LockKind): Promise<boolean> {
    return (await this.#lock(who, kind).tryAcquire()) !== null;
  }

  async leave(who: Who, kind: LockKind): Promise<void> {
    const holds = this.#holds.get(who)!;
    const last = holds.findLastIndex((each) => each.kind === kind);
    await holds.splice(last, 1)[0]!.hold.release();
  }

  async wait(who: Who, kind: LockKind, waitMs?: number): Promise<void> {
    const lock = this.#lock(who, kind);
    this.#isLined ||= kind !== 'read';
    const waiting = waitMs === undefined ? lock.acquire() : lock.tryAcquire({ waitMs });
    const granted = waiting.then((hold) => {
      if (hold !== null) {
        this.#holds.get(who)!.push({ kind, hold });
      }
    });
    await this.sleeps(granted);
  }

  async force(kind: LockKind): Promise<boolean> {
    return await this.#lock('C', kind).forceRelease();
  }

  async begin(_: JavaCall, node: NodeCall): Promise<void> {
    await this.sleeps(node(this.#clients.get('B')!, this.name));
  }

  async run<T>(_: JavaCall<T>, node: NodeCall<T>): Promise<T> {
    return await node(this.#clients.get('A')!, this.name);
  }

  /** In a line: those of whom the server has seen that they listen. */
  protected override async asleep(): Promise<number> {
    if (!this.#isLined) {
      return await super.asleep();
    }
    const tickets = await this.world.raw.hgetall(`redlatch_tickets:{${this.name}}`);
    return Object.entries(tickets).filter(
      ([holder, ticket]) => holder.includes(':') && /^\d+ (?:\d+ )?1\b/.test(ticket),
    ).length;
  }

  #lock(who: Who, kind: LockKind): Lock {
    const client = this.#clients.get(who)!;
    switch (kind) {
      case 'lock':
        return client.getLock(this.name);
      case 'fair':
        return client.getFairLock(this.name);
      case 'fenced':
        return client.getFencedLock(this.name);
      case 'read':
        return client.getReadWriteLock(this.name).readLock;
      case 'write':
        return client.getReadWriteLock(this.name).writeLock;
      default:
        throw new TypeError(`no such lock: ${String(kind satisfies never)}`);
    }
  }
}

/** What becomes of a call that may be refused: by an exception of Java, or an error of ours. */
export async function outcome(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => 'done',
    () => 'refused',
  );
}
