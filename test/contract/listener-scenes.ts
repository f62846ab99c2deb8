// How the events come about in which a listener does something.

import type { Lock } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import type { Grant, Kind, LeasedKind } from '../support/kinds/kind.js';
import { exclusiveLeased, leasedKinds, lockKinds } from '../support/kinds/kinds.js';
import { permit, semaphore } from '../support/kinds/permits.js';
import type { Cell } from './listeners.js';

/** A lease that runs out under its hold. */
const SHORT_MS = 250;

/** How an event comes about. */
export interface Scene {
  readonly title: string;
  readonly kinds?: readonly Kind[];
  /** Listens, and makes it come about. */
  readonly play: (cell: Cell) => Promise<void> | void;
  /** An abort listener, whose error is one of the process. */
  readonly isOfSignal?: true;
  /** The connections of the client are cut. */
  readonly isCut?: true;
}

/** The object is somebody else's until the returned function is called. */
async function takenByOther({ kind, other, name }: Cell): Promise<() => Promise<void>> {
  const grant = await kind.rival(other, name).acquire();
  // An act may have freed it by force.
  return async () => await grant.release().catch(() => {});
}

/** An object of the client states another number of permits than there is. */
async function stateTwo({ kind, own, name }: Cell): Promise<void> {
  const permits = 2;
  const object =
    kind === semaphore
      ? own.getSemaphore(name, { permits })
      : own.getPermitExpirableSemaphore(name, { permits });
  try {
    await object.availablePermits();
  } catch {
    // The listener may close the client.
  }
}

/** Holds until the lease has run out. */
async function untilLost(grant: Grant): Promise<void> {
  const { signal } = grant as Grant & { signal: AbortSignal };
  await new Promise<void>((resolve) => {
    if (signal.aborted) {
      resolve();
    }
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** A hold that somebody has removed, which its client learns of when the next attempt is granted. */
async function replaced(cell: Cell, listen: (grant: Grant & { signal: AbortSignal }) => void) {
  const { kind, object, name } = cell;
  const grant = await (object as ReturnType<LeasedKind['get']>).tryAcquire();
  listen(grant!);
  cell.later(Promise.resolve(grant), async () => await cell.acted);
  await (kind as LeasedKind).erase(name);
  cell.attempt();
  cell.enter();
  cell.enter();
}

export const SCENES: readonly Scene[] = [
  ...[1, 2].flatMap((nth): Scene[] => [
    {
      title: `acquired, no. ${nth}`,
      play(cell) {
        cell.on('acquired', nth);
        for (let i = 0; i < 4; i += 1) {
          cell.enter();
        }
      },
    },
    {
      title: `released, no. ${nth}`,
      play(cell) {
        cell.on('released', nth);
        for (let i = 0; i < 4; i += 1) {
          cell.enter();
        }
      },
    },
  ]),
  {
    title: 'lost by its lease',
    kinds: leasedKinds,
    play(cell) {
      cell.on('lost');
      cell.enter(untilLost, SHORT_MS);
      cell.enter();
      cell.enter();
    },
  },
  {
    title: 'signal of a hold that is lost by its lease',
    isOfSignal: true,
    kinds: leasedKinds,
    play(cell) {
      cell.enter(async (grant) => {
        const { signal } = grant as Grant & { signal: AbortSignal };
        signal.addEventListener('abort', () => cell.act());
        await cell.acted;
      }, SHORT_MS);
      cell.enter();
      cell.enter();
    },
  },
  {
    title: 'lost by a later grant',
    kinds: exclusiveLeased.filter(({ isSemaphore }) => !isSemaphore),
    async play(cell) {
      await replaced(cell, () => cell.on('lost'));
    },
  },
  {
    title: 'signal of a hold that is lost by a later grant',
    isOfSignal: true,
    kinds: exclusiveLeased.filter(({ isSemaphore }) => !isSemaphore),
    async play(cell) {
      await replaced(cell, ({ signal }) => signal.addEventListener('abort', () => cell.act()));
    },
  },
  {
    title: 'lost by force',
    kinds: lockKinds,
    play(cell) {
      cell.on('lost');
      cell.enter(async () => {
        await (cell.object as Lock).forceRelease();
        await cell.acted;
      });
      cell.enter();
      cell.enter();
    },
  },
  {
    title: 'suspect',
    isCut: true,
    kinds: leasedKinds,
    play(cell) {
      cell.on('suspect');
      cell.enter(async () => {
        await eventually(() => {
          cell.cut();
          return cell.acts > 0;
        });
      });
      cell.enter();
      cell.enter();
    },
  },
  {
    title: 'stalled',
    async play(cell) {
      const leave = await takenByOther(cell);
      cell.on('stalled');
      cell.enter();
      cell.enter();
      await cell.acted;
      await leave();
    },
  },
  {
    title: 'configured',
    kinds: [permit, semaphore],
    play(cell) {
      cell.on('configured');
      void stateTwo(cell);
      cell.enter();
      cell.enter();
      cell.enter();
    },
  },
  {
    title: 'error',
    play(cell) {
      cell.own.on('acquired', () => {
        throw new Error('so that there is an error');
      });
      cell.on('error');
      cell.enter();
      cell.enter();
      cell.enter();
    },
  },
  {
    title: 'signal of a waiter',
    isOfSignal: true,
    async play(cell) {
      const leave = await takenByOther(cell);
      const first = cell.enter();
      cell.enter();
      first.signal.addEventListener('abort', () => cell.act());
      first.abort();
      await leave();
    },
  },
  {
    title: 'signal of a waiter that is granted just then',
    isOfSignal: true,
    async play(cell) {
      const leave = await takenByOther(cell);
      const first = cell.enter();
      cell.enter();
      first.signal.addEventListener('abort', () => cell.act());
      const left = leave();
      cell.own.once('acquired', () => first.abort());
      await left;
      first.abort();
    },
  },
];
