// Who takes part in a world: a few clients, each with two holders, and what they ask with.

import type { Script } from '../../../../src/core/wire/script.js';
import type { Random } from '../../../../src/testing/random.js';

/** A script with its operands, all as strings with a character for each byte. */
export interface Operation {
  readonly name: string;
  readonly source: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

/** One object, with all the keys that belong to it, and what may be done with it. */
export interface World {
  readonly keys: readonly string[];
  /** With marks, ids and the like of which earlier replies told. */
  readonly next: () => Operation;
}

const TOMBSTONE_MS = 120_017;

type Choices = readonly (readonly [weight: number, make: () => Operation])[];

export function operation<K, A, R>(script: Script<K, A, R>, keys: K, args: A): Operation {
  const [count, ...operands] = script.operands(keys, args);
  const texts = operands.map((operand) =>
    Buffer.isBuffer(operand) ? operand.toString('latin1') : String(operand),
  );
  const keyCount = Number(count);
  const { name, source } = script;
  return { name, source, keys: texts.slice(0, keyCount), args: texts.slice(keyCount) };
}

/** A command of somebody else, a Java program or a person. */
export function foreign(...args: readonly string[]): Operation {
  return { name: 'foreign', source: 'return redis.call(unpack(ARGV))', keys: [], args };
}

/** For a value that is out of place: it is gone as soon as some time has passed. */
export const BRIEFLY = ['PX', '503'] as const;

export class Cast {
  readonly random: Random;
  readonly key: string;
  readonly notice: { readonly publish: 'PUBLISH'; readonly channel: string };
  readonly #clients: readonly string[];
  #number = 1;

  constructor(random: Random, key: string) {
    this.random = random;
    this.key = key;
    this.notice = { publish: 'PUBLISH', channel: `channel:{${key}}` };
    this.#clients = [1, 2, 3].map((n) => `${n}0000000-0000-4000-8000-000000000000`);
  }

  /** A key beside that of the object. */
  beside(name: string): string {
    return `${name}:{${this.key}}`;
  }

  client(): string {
    return this.random.pick(this.#clients);
  }

  holder(): string {
    // One of them asks more often than the others, so that it often asks about what it has.
    return this.random.chance(0.4) ? (this.holders[0] ?? '') : this.random.pick(this.holders);
  }

  get holders(): readonly string[] {
    return this.#clients.flatMap((client) => [`${client}:1`, `${client}:2`]);
  }

  tombstone(holder: string): string {
    return `${this.beside('tombstone')}:${holder}`;
  }

  /** Hold number so much: mostly the first. */
  count(): number {
    return this.random.weighted([
      [6, () => 1],
      [2, () => 2],
      [1, () => 3],
    ]);
  }

  /** Holds that are left after a release: mostly none. */
  left(): number {
    return this.random.chance(0.7) ? 0 : this.random.int(1, 2);
  }

  leaseMs(): number {
    return this.random.pick([10_007, 30_011, 61_013]);
  }

  /** A lease of 0 only asks. */
  renewalMs(): number {
    return this.random.chance(0.3) ? 0 : this.leaseMs();
  }

  /** A life of an object, 0 for no limit. */
  lifeMs(): number {
    return this.random.chance(0.6) ? 0 : this.leaseMs() * 10;
  }

  /** The same of a semaphore: below 0 how long it is kept while nobody uses it. */
  lifeOrIdleMs(): number {
    return this.random.chance(0.4) ? -this.leaseMs() : this.lifeMs();
  }

  /** What a release is told of an `idleMs`: often nothing. */
  idle(): number[] {
    return this.random.chance(0.5) ? [] : [this.leaseMs()];
  }

  tombstoneMs(): number {
    return this.random.chance(0.5) ? 0 : TOMBSTONE_MS;
  }

  /** The tombstones of whoever holds a lock, for a script that ends the holds. */
  allTombstones(): { tombstones: string; tombstoneMs: number } {
    return { tombstones: this.tombstone(''), tombstoneMs: TOMBSTONE_MS };
  }

  /** A new request, or a late copy of one. */
  request(): { number: number; lowWater: number } {
    const isCopy = this.random.chance(0.15);
    this.#number += isCopy ? 0 : 1;
    const number = isCopy ? this.random.int(1, this.#number) : this.#number;
    return { number, lowWater: this.random.int(Math.max(number - 4, 1), number) };
  }

  /** A low-water mark without a request. */
  mark(): { lowWater: number } {
    return { lowWater: this.request().lowWater };
  }

  flag(): number {
    return this.random.int(0, 1);
  }

  /** What an object declares of a number of permits. */
  setting(): string {
    const mismatch = this.random.pick(['keep', 'set', 'error']);
    const idle = this.random.chance(0.4) ? ` ${this.leaseMs()}` : '';
    return `${mismatch} ${this.random.int(1, 2)} ${this.random.int(1, 6)}${idle}`;
  }

  /** Whether an object declares one, mostly not, and its `idleMs`. */
  declared(): string {
    if (this.random.chance(0.7)) {
      return '';
    }
    return this.random.chance(0.4) ? String(this.leaseMs()) : '0';
  }

  choose(choices: Choices): Operation {
    return this.random.weighted(choices);
  }

  /** One to three of something. */
  few<T>(make: () => T): T[] {
    return Array.from({ length: this.random.int(1, 3) }, make);
  }
}
