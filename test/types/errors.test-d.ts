// The public types of errors, checked by the compiler against the contract.

import { expectTypeOf } from 'vitest';
import {
  CoordinationError,
  type AcquireTimeoutError,
  type ClosedError,
  type CommandTimeoutError,
  type DeadlockError,
  type LeaseLostError,
  type NotHeldError,
  type OutcomeUnknownError,
  type UnexpectedReplyError,
  type WrongTypeError,
} from '../../src/index.js';

expectTypeOf<CoordinationError>().toExtend<Error>();
expectTypeOf<CoordinationError['code']>().toEqualTypeOf<string>();
expectTypeOf<CoordinationError['resource']>().toEqualTypeOf<string>();
expectTypeOf<CoordinationError['cause']>().toEqualTypeOf<unknown>();
expectTypeOf<LeaseLostError['reason']>().toEqualTypeOf<
  'expired' | 'taken' | 'deleted' | 'unproven'
>();

expectTypeOf<AcquireTimeoutError['holders'][number]>().toEqualTypeOf<{
  readonly holderId: string;
  readonly remainingMs: number;
  readonly isOwnClient: boolean;
}>();

type Every =
  | AcquireTimeoutError
  | ClosedError
  | CommandTimeoutError
  | DeadlockError
  | LeaseLostError
  | NotHeldError
  | OutcomeUnknownError
  | UnexpectedReplyError
  | WrongTypeError;

expectTypeOf<Every>().toExtend<CoordinationError>();
expectTypeOf<Every['code']>().toEqualTypeOf<
  | 'ERR_ACQUIRE_TIMEOUT'
  | 'ERR_CLOSED'
  | 'ERR_COMMAND_TIMEOUT'
  | 'ERR_DEADLOCK'
  | 'ERR_LEASE_LOST'
  | 'ERR_NOT_HELD'
  | 'ERR_OUTCOME_UNKNOWN'
  | 'ERR_UNEXPECTED_REPLY'
  | 'ERR_WRONG_TYPE'
>();

/** The code tells the classes apart, so that a switch needs no instanceof. */
export function reasonOf(error: Every): string | undefined {
  return error.code === 'ERR_LEASE_LOST' ? error.reason : undefined;
}

/** The base class cannot be made, only caught. */
export function isOurs(error: unknown): error is CoordinationError {
  return error instanceof CoordinationError;
}

// @ts-expect-error -- it is abstract
export const impossible = new CoordinationError('no');
