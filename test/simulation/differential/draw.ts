// Random operands of commands: plausible ones, and some that Redis refuses.

import type { Random } from '../../../src/testing/random.js';

export type Type = 'string' | 'hash' | 'list' | 'zset';

/** Most commands find a key of their type; some find one of another type. */
const KEYS_OF: Readonly<Record<Type, readonly string[]>> = {
  string: ['s', 's\0\xff', 'n'],
  hash: ['h', 'h[2]', '{h}'],
  list: ['l', 'l*2'],
  zset: ['z', 'z?', 'z\r\n', ''],
};

export const KEYS: readonly string[] = Object.values(KEYS_OF).flat();

const LONG = 'a field of more than 64 bytes, for which Redis makes a table of a hash';
const MEMBERS = [
  'a',
  'b',
  'c',
  'B',
  'ab',
  'mode',
  '',
  '\0',
  'a\0b',
  '\xff\xfe',
  '10',
  '-5',
] as const;
const VALUES = ['', '0', '1', '-1', '41', '9007199254740991', '-9007199254740991', '007'] as const;
const ODD_VALUES = [
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '9007199254740993',
  'text',
  '\r\n\0\xff',
  ' 1',
  '1.5',
  '-0',
] as const;
const ODD_INTEGERS = [
  '',
  'x',
  '1.5',
  '-0',
  '+1',
  ' 1',
  '01',
  '1e3',
  '9223372036854775808',
] as const;
const SCORES = ['0', '1', '2', '3', '-1', '1.5', '1700000000000', '1700000000000123'] as const;
const ODD_SCORES = [
  '-0',
  '0.1',
  '-2.75',
  'inf',
  '-inf',
  '+Infinity',
  '922337203685477',
  '9007199254740993',
  '123456789012345678',
  '1e17',
  '1e21',
  '-1.7e308',
  '3e-5',
  '4e-7',
  '5e-324',
  '.5',
  '5.',
  '+7',
  '0x1F',
  '-0x.8p3',
] as const;
const NO_SCORES = [
  '',
  'x',
  'nan',
  '1e400',
  '1e-400',
  ' 1',
  '1 ',
  '1\0',
  '0x',
  '1e',
  'infi',
] as const;
const ODD_BOUNDS = ['(1', '(2', '(-1', '(inf', '(', '', ' 2', '3\0x', '((1', '1e400'] as const;

export class Draw {
  readonly random: Random;
  /** Near the time of the server. */
  readonly now: number;

  constructor(random: Random, now: number) {
    this.random = random;
    this.now = now;
  }

  key(type: Type): string {
    return this.random.pick(this.random.chance(0.93) ? KEYS_OF[type] : KEYS);
  }

  anyKey(): string {
    return this.random.pick(KEYS);
  }

  /** From one to `most` of something. */
  some(most: number, make: () => string): string[] {
    return Array.from({ length: this.random.int(1, most) }, make);
  }

  maybe(probability: number, make: () => string[]): string[] {
    return this.random.chance(probability) ? make() : [];
  }

  /** A word of a command, in capitals or not. */
  word(...choices: readonly string[]): string {
    const word = this.random.pick(choices);
    return this.random.chance(0.7) ? word : word.toLowerCase();
  }

  member(): string {
    return this.random.pick(MEMBERS);
  }

  field(): string {
    return this.random.chance(0.01) ? LONG : this.member();
  }

  value(): string {
    return this.random.pick(this.random.chance(0.85) ? VALUES : ODD_VALUES);
  }

  integer(): string {
    return this.random.chance(0.9)
      ? String(this.random.int(-3, 3))
      : this.random.pick([...ODD_INTEGERS, '9007199254740993', '-9223372036854775808']);
  }

  /** Small where it is one: it says how much a server has to do. */
  count(): string {
    return this.random.chance(0.95)
      ? String(this.random.int(-2, 8))
      : this.random.pick(ODD_INTEGERS);
  }

  score(): string {
    const kind = this.random.next();
    return this.random.pick(kind < 0.8 ? SCORES : kind < 0.97 ? ODD_SCORES : NO_SCORES);
  }

  bound(): string {
    const kind = this.random.next();
    if (kind < 0.3) {
      return this.random.pick(['-inf', '+inf', '0', '(0'] as const);
    }
    return kind < 0.9 ? this.score() : this.random.pick(ODD_BOUNDS);
  }

  /** Ms that are over at once, or never within a run; no two leases end close to one another. */
  lease(): string {
    return this.random.chance(0.85)
      ? String(this.random.int(1, 50) * 60_000 + this.random.int(0, 1) * 30_000)
      : this.random.pick(['0', '-1', '-60000', '9223372036854775807', ...ODD_INTEGERS]);
  }

  /** The same as instants of the wall clock. */
  instant(): string {
    return this.random.chance(0.85)
      ? String(this.now + this.random.int(1, 50) * 60_000 + 15_000)
      : this.random.pick(['0', '-1', '1', '9223372036854775807', ...ODD_INTEGERS]);
  }
}
