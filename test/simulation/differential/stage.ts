// Plays worlds on both servers: all of them on the real one in one go, then each on a simulated one.

import { createHash } from 'node:crypto';
import type { Random } from '../../../src/testing/random.js';
import { execute } from '../../../src/testing/commands/commands.js';
import { Keyspace } from '../../../src/testing/keyspace/keyspace.js';
import { type Reply, ReplyError } from '../../../src/testing/keyspace/reply.js';
import { plain } from './compare.js';
import { AGE, type Content, load, look, LOOK } from './contents.js';
import { textsAreNear, type Slack } from './near.js';
import { type RealServer, timeOf } from './real-server.js';
import type { Operation, World } from './worlds/cast.js';

/** Runs a script in virtual time. */
export type EvalScript = (
  source: string,
  keys: readonly string[],
  args: readonly string[],
  host: (argv: readonly string[]) => Reply,
) => Reply;

/** What a step has done, as far as somebody can see it. */
interface Outcome {
  readonly reply: Reply;
  readonly messages: readonly string[];
  readonly contents: readonly Content[];
}

interface Step {
  readonly operation: Operation;
  /** Only the real server lets time pass; the simulated one then takes over what has become. */
  readonly isAge: boolean;
}

/** Differences that a world looks for, and never likes. */
export interface Mismatch {
  readonly operation: Operation;
  readonly real: unknown;
  readonly virtual: unknown;
}

/** The place in a script where an error came up is the business of the real server. */
function withoutPlace(reply: Reply): Reply {
  return reply instanceof ReplyError
    ? new ReplyError(reply.message.replace(/ script: [\da-f]+, on .*$/s, ''))
    : reply;
}

/** Members of a sorted set in the order of their bytes: those of scores that are near may swap. */
function byMember([number, type, expiry, ...parts]: Content): string {
  if (type !== 'zset') {
    return JSON.stringify([number, type, expiry, ...parts]);
  }
  const pairs = parts.flatMap((part, i) =>
    i % 2 === 0 ? [JSON.stringify([part, parts[i + 1]])] : [],
  );
  return JSON.stringify([number, type, expiry, pairs.toSorted()]);
}

function areSame(one: Content, other: Content): boolean {
  return one.length === other.length && one.every((part, i) => part === other[i]);
}

function outcomesAreNear(one: Outcome, other: Outcome, slack: Slack): boolean {
  const texts = ({ reply, messages }: Outcome): string =>
    JSON.stringify([plain(withoutPlace(reply)), messages]);
  return (
    one.contents.length === other.contents.length &&
    textsAreNear(texts(one), texts(other), slack) &&
    one.contents.every((content, i) => {
      const counterpart = other.contents[i] ?? [];
      return (
        areSame(content, counterpart) ||
        textsAreNear(byMember(content), byMember(counterpart), slack)
      );
    })
  );
}

/** The instants at which the simulated server may have run a command of the real one. */
function* instants(from: number, to: number): Generator<number> {
  yield from;
  for (let ms = Math.floor(from) + 1; ms < to && ms < from + 100; ms += 1) {
    yield ms;
  }
  yield to;
}

export class Stage {
  readonly #world: World;
  readonly #keyspace: Keyspace;
  readonly #evalScript: EvalScript;
  readonly #random: Random;
  #now = 0;
  #messages: string[] = [];

  constructor(makeWorld: (keyspace: Keyspace) => World, evalScript: EvalScript, random: Random) {
    this.#random = random;
    this.#keyspace = new Keyspace(() => this.#now, random.fork());
    this.#world = makeWorld(this.#keyspace);
    this.#evalScript = evalScript;
  }

  next(): Step {
    if (this.#random.chance(0.12)) {
      const ms = this.#random.pick([600, 3_000, 4_300, 12_500, 33_000, 70_000, 700_000, 2_000_000]);
      const { keys } = this.#world;
      return { operation: { name: 'age', source: AGE, keys, args: [`${ms}`] }, isAge: true };
    }
    return { operation: this.#world.next(), isAge: false };
  }

  commands({ operation: { source, keys, args } }: Step): string[][] {
    const all = this.#world.keys;
    return [
      ['TIME'],
      ['EVALSHA', sha1(source), `${keys.length}`, ...keys, ...args],
      ['TIME'],
      ['EVALSHA', sha1(LOOK), `${all.length}`, ...all],
      ['TIME'],
    ];
  }

  /** Plays a step that the real server has played; returns in what it differs. */
  play({ operation, isAge }: Step, replies: Reply[], messages: string[]): Mismatch | undefined {
    const [before = null, reply = null, after = null, contents, looked = null] = replies;
    const real = { reply, messages, contents: contents as string[][] };
    const [from, to, end] = [timeOf(before), timeOf(after), timeOf(looked)];
    if (isAge) {
      this.#keyspace.clear();
      this.#follow(real.contents, []);
      return undefined;
    }
    const slack = { ms: to - from + 2 };
    const snapshot = this.#keyspace.copy();
    let first: Outcome | undefined;
    for (const instant of instants(from, to)) {
      this.#now = instant;
      const outcome = this.#run(operation);
      // A key may end between the operation and the look behind it.
      this.#now = end;
      const later = { ...outcome, contents: look(this.#keyspace, this.#world.keys) };
      const near = [outcome, later].find((each) => outcomesAreNear(real, each, slack));
      if (near !== undefined) {
        this.#follow(real.contents, near.contents);
        return undefined;
      }
      first ??= outcome;
      this.#keyspace.restore(snapshot);
    }
    return { operation, real: printed(real), virtual: printed(first) };
  }

  #run({ source, keys, args }: Operation): Outcome {
    this.#messages = [];
    const reply = this.#evalScript(source, keys, args, (argv) => this.#command(argv));
    const contents = look(this.#keyspace, this.#world.keys);
    return { reply, messages: this.#messages, contents };
  }

  #command(argv: readonly string[]): Reply {
    const [name = '', channel = '', payload = ''] = argv;
    if (name === 'PUBLISH') {
      this.#messages.push(`${channel} ${payload}`);
      // The real one has one subscriber.
      return 1;
    }
    if (name === 'PUBSUB') {
      // That one listens by a pattern, which does not count.
      return [payload, 0];
    }
    return execute(this.#keyspace, argv);
  }

  /** From here on both have the same times. The keys are the same already. */
  #follow(contents: readonly Content[], own: readonly Content[]): void {
    for (const [i, content] of contents.entries()) {
      if (!areSame(content, own[i] ?? [])) {
        load(this.#keyspace, this.#world.keys, content);
      }
    }
  }
}

function printed(outcome: Outcome | undefined): unknown {
  return outcome === undefined ? undefined : { ...outcome, reply: plain(outcome.reply) };
}

const known = new Map<string, string>();

function sha1(source: string): string {
  const hash = known.get(source) ?? createHash('sha1').update(source, 'latin1').digest('hex');
  known.set(source, hash);
  return hash;
}

/** Sends scripts to the server before they are used. */
export async function loadScripts(
  real: RealServer,
  operations: readonly Operation[],
  loaded: Set<string>,
): Promise<void> {
  const sources = new Set([LOOK, ...operations.map(({ source }) => source)]);
  const fresh = [...sources].filter((source) => !loaded.has(source));
  await real.run(fresh.map((source) => ['SCRIPT', 'LOAD', source]));
  for (const source of fresh) {
    loaded.add(source);
  }
}
