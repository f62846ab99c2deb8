// What a read-write lock is: many readers, or one writer, who may read as well and go on reading
// when it has stopped writing.

import type { Mode } from '../../history.js';
import type { Model } from '../linearizability.js';
import { lapsed, NO_LAPSES, type Lapses } from './lapses.js';
import { UNTOLD } from './untold.js';

interface Holder {
  readonly mode: Mode;
  readonly owner: string;
}

export type ReadWriteAct =
  | ({ readonly what: 'acquire' } & Holder)
  | ({ readonly what: 'busy' } & Holder)
  | ({ readonly what: 'release'; readonly mayBeGone: boolean } & Holder)
  | { readonly what: 'force'; readonly mode: Mode; readonly wasHeld: boolean | undefined }
  | { readonly what: 'look'; readonly mode: Mode; readonly isHeld: boolean };

export interface ReadWriteState {
  /** Empty when nobody writes. */
  readonly writer: string;
  readonly writes: number;
  readonly readers: ReadonlyMap<string, number>;
  readonly since: number;
}

const FREE: ReadWriteState = {
  writer: '',
  writes: 0,
  readers: new Map(),
  since: Number.NEGATIVE_INFINITY,
};

export function holderKey(mode: Mode, owner: string): string {
  return `${mode} ${owner}`;
}

export function readWriteModel(lapses: Lapses = NO_LAPSES): Model<ReadWriteState, ReadWriteAct> {
  /** The state without the holders of a mode that may have lost it, but for one owner. */
  const cleared = (
    state: ReadWriteState,
    mode: Mode,
    but: string,
    until: number,
  ): ReadWriteState | undefined => {
    const owners = mode === 'shared' ? [...state.readers.keys()] : [state.writer];
    return owners.reduce<ReadWriteState | undefined>((left, owner) => {
      if (left === undefined || owner === '' || owner === but) {
        return left;
      }
      const since = lapsed(lapses, holderKey(mode, owner), left.since, until);
      const holder = { mode, owner };
      return since === undefined
        ? undefined
        : { ...leave(left, holder, holdsOf(left, holder)), since };
    }, state);
  };

  const write = (
    state: ReadWriteState,
    owner: string,
    until: number,
  ): ReadWriteState | undefined => {
    if (state.writer === owner) {
      return { ...state, writes: state.writes + 1 };
    }
    const free = cleared(state, 'exclusive', '', until);
    // Nobody goes from reading to writing: its own reads are in the way, too.
    const alone = free && cleared(free, 'shared', '', until);
    return alone?.readers.size === 0 ? { ...alone, writer: owner, writes: 1 } : undefined;
  };

  /** Free in a mode, for those that say so. */
  const freeIn = (state: ReadWriteState, mode: Mode, until: number): ReadWriteState | undefined =>
    isHeldIn(state, mode) ? cleared(state, mode, '', until) : state;

  return {
    initial: FREE,

    step(state, act, until) {
      switch (act.what) {
        case 'acquire': {
          if (act.owner === UNTOLD && holdsOf(state, act) > 0) {
            return state;
          }
          if (act.mode === 'exclusive') {
            return write(state, act.owner, until);
          }
          const free = cleared(state, 'exclusive', act.owner, until);
          return free && withReads(free, act.owner, 1);
        }
        case 'busy':
          return isInTheWay(state, act) ? state : undefined;
        case 'release':
          return holdsOf(state, act) > 0 ? leave(state, act, 1) : act.mayBeGone ? state : undefined;
        case 'force': {
          if (act.wasHeld === false) {
            return freeIn(state, act.mode, until);
          }
          const isHeld = isHeldIn(state, act.mode);
          if (act.wasHeld === true && !isHeld) {
            return undefined;
          }
          return isHeld ? { ...FREE, since: state.since } : state;
        }
        default: {
          const { mode } = act;
          // Whether a writer that reads is a reader to others is not promised.
          if (mode === 'shared' && state.writer !== '' && state.readers.size > 0) {
            return state;
          }
          return act.isHeld
            ? isHeldIn(state, mode)
              ? state
              : undefined
            : freeIn(state, mode, until);
        }
      }
    },

    since: ({ since }) => since,
    key: ({ writer, writes, readers, since }) =>
      `${writer} ${writes} ${since} ${[...readers]
        .map(([owner, holds]) => `${owner}*${holds}`)
        .toSorted()
        .join(' ')}`,
  };
}

function isInTheWay({ writer, writes, readers }: ReadWriteState, { mode, owner }: Holder): boolean {
  if (writer !== '') {
    // Branches of one writer exclude each other.
    return writer !== owner || writes + (readers.get(owner) ?? 0) > 1;
  }
  return mode === 'exclusive' && readers.size > (readers.has(owner) ? 1 : 0);
}

function holdsOf({ writer, writes, readers }: ReadWriteState, { mode, owner }: Holder): number {
  return mode === 'shared' ? (readers.get(owner) ?? 0) : writer === owner ? writes : 0;
}

function leave(state: ReadWriteState, { mode, owner }: Holder, holds: number): ReadWriteState {
  if (mode === 'shared') {
    return withReads(state, owner, -holds);
  }
  const writes = state.writes - holds;
  return { ...state, writer: writes === 0 ? '' : owner, writes };
}

function withReads(state: ReadWriteState, owner: string, change: number): ReadWriteState {
  const readers = new Map(state.readers);
  const holds = (readers.get(owner) ?? 0) + change;
  if (holds === 0) {
    readers.delete(owner);
  } else {
    readers.set(owner, holds);
  }
  return { ...state, readers };
}

/** A lock with a writer is one that is written, also where the writer reads. */
function isHeldIn({ writer, readers }: ReadWriteState, mode: Mode): boolean {
  return mode === 'exclusive' ? writer !== '' : writer === '' && readers.size > 0;
}
