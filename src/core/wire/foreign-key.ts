import { REPLY_ERROR } from '../base/redactor.js';
import type { Operand } from './script.js';

/** What lua/lib/checked.lua replies: which of the keys of the script holds something else, and what. */
const HOLDS = /WRONGTYPE key (?<place>\d+) holds (?<found>.+?)(?: script: .*)?$/s;

/** The error of a script for a name that would share a key with another name. */
const SHARED = /WRONGTYPE the name shares (?<key>.+) with (?<twin>.+?)(?: script: .*)?$/s;

/** The server's error for a key that holds something that is not ours. */
export class ForeignKeyError extends Error {
  static override readonly name = 'ForeignKeyError';
  override readonly name = 'ForeignKeyError';
  /** The key. */
  readonly key: string;
  /** The key that a call with this name begins with: the name itself where there is no prefix. */
  readonly main: string;
  /** What it holds; undefined where the user may not ask. */
  readonly found: string | undefined;
  /** The name with which this one would share the key. */
  readonly twin: string | undefined;

  constructor(error: Error, operands: readonly Operand[]) {
    super(error.message, { cause: error });
    const { place = '1', found } = HOLDS.exec(error.message)?.groups ?? {};
    const { key, twin } = SHARED.exec(error.message)?.groups ?? {};
    this.main = String(operands[1]);
    this.key = key ?? String(operands[Number(place)]);
    this.found = found;
    this.twin = twin;
  }
}

/** Makes the error of a call with these operands say which key it is about, where it is about one. */
export function namingKey(error: Error, operands: readonly Operand[]): Error {
  return error.name === REPLY_ERROR && error.message.includes('WRONGTYPE')
    ? new ForeignKeyError(error, operands)
    : error;
}
