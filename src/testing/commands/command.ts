// The shape of a command, and a function that makes one.

import type { Keyspace } from '../keyspace/keyspace.js';
import { Refusal, type Reply } from '../keyspace/reply.js';

export interface Command {
  /** In small letters, as in error messages. */
  readonly name: string;
  /** Number of arguments, the name included; negative: at least so many. */
  readonly arity: number;
  readonly isWrite: boolean;
  /** A server that is out of memory refuses it. */
  readonly deniesOutOfMemory: boolean;
  /** Position of the first key, the name being 0; 0 when there are no keys. */
  readonly firstKey: number;
  /** Position of the last key; -1: all arguments from the first key on are keys. */
  readonly lastKey: number;
  /** `args` come without the name, and are as many as the arity says. An error is a reply. */
  run(keyspace: Keyspace, args: readonly string[]): Reply;
}

export type Body = (keyspace: Keyspace, args: readonly string[]) => Reply;

interface Shape {
  readonly kind: 'reads' | 'writes' | 'needs memory';
  readonly firstKey?: number;
  readonly lastKey?: number;
}

export function command(
  name: string,
  arity: number,
  { kind, firstKey = 1, lastKey = firstKey }: Shape,
  body: Body,
): Command {
  return {
    name,
    arity,
    isWrite: kind !== 'reads',
    deniesOutOfMemory: kind === 'needs memory',
    firstKey,
    lastKey,
    run: (keyspace, args) => {
      try {
        return body(keyspace, args);
      } catch (error) {
        if (error instanceof Refusal) {
          return error.reply;
        }
        throw error;
      }
    },
  };
}

export const READS: Shape = { kind: 'reads' };
export const WRITES: Shape = { kind: 'writes' };
export const NEEDS_MEMORY: Shape = { kind: 'needs memory' };

export function wrongNumberOfArguments(name: string): string {
  return `ERR wrong number of arguments for '${name}' command`;
}
