import { LockFace, type Lock } from '../core/locks/lock-face.js';
import { anyHold } from '../core/locks/hold-face.js';
import { Printable } from '../core/observe/printable.js';
import type { LockServices } from '../core/locks/lock-services.js';
import { ReadProtocol } from './read-protocol.js';
import { WriteProtocol } from './write-protocol.js';

/**
 * Many readers or one writer, over all processes that share the name; after Redisson's
 * RReadWriteLock, with which it shares its keys and messages.
 *
 * Writer to reader re-enters: inside the scope of a write hold the read lock is granted at once
 * (the first time under the same holder id), and stays when the write lock is released first
 * (downgrade). Reader to writer is refused with DeadlockError.
 *
 * Fairness among Node clients: a reader that asks after a writer began to wait lets it go first,
 * and a writer waits for the readers that came before it, so that neither starves the other.
 * Inside the scope of a read hold the read lock is re-entered at once; an acquisition outside that
 * scope is a new reader and waits behind a waiting writer, also when the same code reads already.
 * Redisson's clients do not know these wait queues: its readers pass a waiting writer.
 *
 * @example
 * ```ts
 * const { readLock, writeLock }: ReadWriteLock = client.getReadWriteLock('prices');
 * await writeLock.using(async (hold) => {
 *   await work(hold.signal);
 * });
 * await readLock.using(() => console.log('beside other readers'));
 * ```
 */
export interface ReadWriteLock {
  /** The name that the lock was made with. */
  readonly name: string;
  /** Held by any number of readers. Re-entries do not exclude each other. */
  readonly readLock: Lock;
  /** Held by one writer, and only while no other holder reads. */
  readonly writeLock: Lock;
}

/** Redisson's RReadWriteLock. */
export function createReadWriteLock(locks: LockServices, name: string, key: string): ReadWriteLock {
  return new ReadWriteLockFace(locks, name, key);
}

/** The two sides under one name. */
class ReadWriteLockFace extends Printable implements ReadWriteLock {
  readonly name: string;
  readonly readLock: Lock;
  readonly writeLock: Lock;

  constructor(locks: LockServices, name: string, key: string) {
    super();
    this.name = name;
    this.readLock = new LockFace(locks, new ReadProtocol(locks.services, name, key), anyHold);
    this.writeLock = new LockFace(locks, new WriteProtocol(locks.services, name, key), anyHold);
  }

  protected override get label(): string {
    return 'ReadWriteLock';
  }

  override toJSON(): object {
    return { kind: 'read-write-lock', name: this.name };
  }
}
