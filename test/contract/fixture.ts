// Clients and names for one test file: clients end with their test, and no key or channel stays.

import type { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { eventually } from '../support/eventually.js';
import { keysUnder, rawClient } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { testScope, type Scope } from '../support/scope.js';
import type { Kind } from '../support/kinds/kind.js';

/** Private records that live for ten minutes by design. */
const RECORDS = [
  /^redlatch_cancelled:/,
  /^redlatch_requests:/,
  /^redlatch_opened:/,
  /^redlatch_beats:/,
  /^redlatch_permits:/,
  /^redlatch_statements:/,
];

export interface Fixture {
  /** What every name of the file starts with. */
  readonly prefix: string;
  /** A plain connection to the shared server. */
  readonly raw: Redis;
  /** A name nobody has used. */
  readonly name: () => string;
  /** A client of the shared server, or another one, closed after the test. */
  readonly client: Scope['client'];
}

/**
 * Called once at the top of a test file.
 *
 * @param word what the file is about
 * @param lasting keys that stay by design and have no TTL; they are deleted in the end
 * @param expectWhole fails unless those keys say that nobody is in any more
 * @param connect makes the clients, where they are not of the shared server
 */
export function fixture(
  word: string,
  lasting: readonly RegExp[] = [],
  expectWhole?: Kind['expectWhole'],
  connect?: Kind['connect'],
): Fixture {
  const scope = testScope(word, connect);
  const raw = rawClient();

  afterAll(async () => {
    const keys = await keysUnder(scope.prefix, raw);
    const expected = keys.filter((key) => lasting.some((rule) => rule.test(key)));
    if (expected.length > 0) {
      // What was given up is cleaned up behind.
      await eventually(async () => await expectWhole?.(expected));
      await raw.del(...expected);
    }
    await expectNoResidue(scope.prefix, { allow: RECORDS, client: raw });
    await expectNoChannels(scope.prefix, { client: raw });
  });

  return { ...scope, raw };
}

/** The same for the objects of one kind. */
export function fixtureOf(word: string, kind: Kind): Fixture {
  return fixture(word, kind.lasting, kind.expectWhole, kind.connect);
}

/** True for a private record that outlives its object by design. */
export function isRecord(key: string): boolean {
  return RECORDS.some((rule) => rule.test(key));
}

/** A promise that a test settles when it wants to. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** What a promise rejects with, whatever its type; fails when it does not reject. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (outcome === undefined) {
    throw new Error('expected a rejection, and there was none');
  }
  return outcome.error;
}
