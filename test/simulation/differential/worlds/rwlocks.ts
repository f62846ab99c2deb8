import {
  requestsCancel,
  rwlockAcquireRead,
  rwlockAcquireWrite,
  rwlockForceRelease,
  rwlockHoldCount,
  rwlockInspect,
  rwlockLease,
  rwlockLeaveQueue,
  rwlockReleaseRead,
  rwlockReleaseWrite,
  rwlockRenewRead,
} from '../../../../src/core/wire/scripts.generated.js';
import { BRIEFLY, type Cast, foreign, operation, type Operation, type World } from './cast.js';
import { handOver } from './hand-over.js';

class ReadWriteLock {
  readonly #cast: Cast;
  readonly #keys: {
    readonly lock: string;
    readonly readers: string;
    readonly writers: string;
    readonly waiting: string;
    readonly heartbeats: string;
    readonly tickets: string;
  };
  readonly #requests: string;
  readonly #stem: string;

  constructor(cast: Cast) {
    this.#cast = cast;
    const names = ['readers', 'writers', 'waiting', 'heartbeats', 'tickets'] as const;
    const [readers, writers, waiting, heartbeats, tickets] = names.map((name) => cast.beside(name));
    this.#keys = {
      lock: cast.key,
      readers: readers!,
      writers: writers!,
      waiting: waiting!,
      heartbeats: heartbeats!,
      tickets: tickets!,
    };
    this.#requests = cast.beside('requests');
    this.#stem = `{${cast.key}}:`;
  }

  get all(): string[] {
    const { holders } = this.#cast;
    const holds = [...holders, '6a617661-0000-4000-8000-000000000000:1'].flatMap((holder) =>
      this.#holds(holder, 1, 3),
    );
    const tombstones = [...holders, '6a617661-0000-4000-8000-000000000000:1'].flatMap((holder) =>
      ['', ':write'].map((side) => this.#cast.tombstone(holder + side)),
    );
    return [...Object.values(this.#keys), this.#requests, ...tombstones, ...holds];
  }

  #holds(holder: string, first: number, last: number): string[] {
    const length = Math.max(last - first + 1, 0);
    return Array.from({ length }, (_, i) => `${this.#stem}${holder}:rwlock_timeout:${first + i}`);
  }

  acquireRead(): Operation {
    const cast = this.#cast;
    const client = cast.client();
    const [ofClaims, claims]: [string[], string[]] = [[], []];
    for (const reader of cast.holders.filter((holder) => holder.startsWith(client))) {
      if (cast.random.chance(0.7)) {
        const count = cast.count();
        const [first = ''] = this.#holds(reader, 1, 1);
        const [newest = ''] = this.#holds(reader, count, count);
        const beside = cast.random.chance(0.1) ? cast.holder() : '';
        const since = this.#since();
        ofClaims.push(cast.tombstone(reader), first, newest);
        claims.push(reader, `${count}`, `${cast.leaseMs()}`, `${since}`, beside);
      }
    }
    const position = cast.random.pick(['queue', 'queue', 'join', 'none']);
    const args = { client, position, rest: this.#since(), ...cast.notice, claims };
    return operation(rwlockAcquireRead, { ...this.#keys, ofClaims }, args);
  }

  /** Since when a reader or a writer waits, as far as its client knows. */
  #since(): number {
    return this.#cast.random.chance(0.7) ? 0 : (Date.now() - 2_003) * 1_000;
  }

  acquireWrite(): Operation {
    const cast = this.#cast;
    const holder = cast.holder();
    const keys = { ...this.#keys, tombstone: cast.tombstone(`${holder}:write`) };
    const position = cast.random.pick(['queue', 'queue', 'none']);
    const windowMs = cast.random.pick([0, 4_007, 4_007, 10_007]);
    const isListening = cast.random.pick([0, 0, 1]);
    const place = { replaces: cast.random.chance(0.3) ? cast.holder() : '', rank: this.#since() };
    const ask = { position, windowMs, isListening, ...place };
    const terms = { count: cast.count(), leaseMs: cast.leaseMs(), ...ask };
    const args = { holder, ...terms, ...cast.notice, stem: this.#stem };
    return operation(rwlockAcquireWrite, keys, args);
  }

  releaseRead(): Operation {
    const cast = this.#cast;
    const [holder, count] = [cast.holder(), cast.left()];
    const holds = [...this.#holds(holder, 1, 1), ...this.#holds(holder, Math.max(2, count + 1), 3)];
    const others = count === 0 && cast.random.chance(0.3) ? cast.few(() => cast.holder()) : [];
    for (const other of others) {
      holds.push(cast.tombstone(other), ...this.#holds(other, 1, 1));
    }
    const keys = { ...this.#keys, tombstone: cast.tombstone(holder), holds };
    const listens = cast.random.pick([-1, 0, 1]);
    const free = { count, tombstoneMs: cast.tombstoneMs(), listens };
    const terms = { ...free, ...cast.notice, stem: this.#stem };
    return operation(rwlockReleaseRead, keys, { holder, ...terms, others });
  }

  releaseWrite(): Operation {
    const cast = this.#cast;
    const holder = cast.holder();
    const keys = { ...this.#keys, tombstone: cast.tombstone(`${holder}:write`) };
    const listens = cast.random.pick([-1, 0, 1]);
    const free = { count: cast.left(), tombstoneMs: cast.tombstoneMs(), listens };
    const terms = { ...free, stem: this.#stem };
    return operation(rwlockReleaseWrite, keys, { holder, ...terms, ...cast.notice });
  }

  renewRead(): Operation {
    const cast = this.#cast;
    const { lock, readers } = this.#keys;
    const [ofClaims, claims]: [string[], string[]] = [[], []];
    for (const reader of cast.few(() => cast.holder())) {
      const holds = this.#holds(reader, 1, cast.count());
      ofClaims.push(lock, readers, ...holds);
      claims.push(reader, `${holds.length}`, `${cast.renewalMs()}`);
    }
    return operation(rwlockRenewRead, { ofClaims }, { claims });
  }

  forceRelease(): Operation {
    const cast = this.#cast;
    const keys = { ...this.#keys, requests: this.#requests };
    const mode = cast.random.pick(['read', 'write']);
    const terms = { ...cast.notice, stem: this.#stem, ...cast.allTombstones() };
    const args = { ...cast.request(), mode, ...terms };
    return operation(rwlockForceRelease, keys, args);
  }

  look(): Operation {
    const cast = this.#cast;
    const [keys, stem] = [this.#keys, this.#stem];
    const holder = cast.random.chance(0.5) ? cast.holder() : `${cast.holder()}:write`;
    const side = cast.random.pick(['read', 'write']);
    const enoughMs = cast.random.pick([1, 20_000, 100_000]);
    return cast.choose([
      [1, () => operation(rwlockHoldCount, keys, { holder, stem })],
      [1, () => operation(rwlockInspect, keys, { cursor: '0', stem })],
      [1, () => operation(rwlockLease, keys, { side, cursor: '0', enoughMs, stem })],
    ]);
  }

  next(): Operation {
    const cast = this.#cast;
    const leave = { client: cast.client(), ...cast.notice };
    return cast.choose([
      [8, () => this.acquireRead()],
      [5, () => this.acquireWrite()],
      [6, () => this.releaseRead()],
      [5, () => this.releaseWrite()],
      [4, () => this.renewRead()],
      [1, () => this.forceRelease()],
      [3, () => handOver(cast, [this.#keys.writers, this.#keys.waiting], ':write')],
      [3, () => this.look()],
      [1, () => operation(rwlockLeaveQueue, this.#keys, leave)],
      [0.3, () => operation(requestsCancel, { requests: this.#requests }, cast.request())],
      [1, () => this.#disturb()],
    ]);
  }

  /** A Java reader, or somebody who breaks something. */
  #disturb(): Operation {
    const { lock, readers, waiting, tickets } = this.#keys;
    const [hold = ''] = this.#holds('6a617661-0000-4000-8000-000000000000:1', 1, 1);
    return foreign(
      ...this.#cast.random.pick([
        ['HSET', lock, 'mode', 'read', '6a617661-0000-4000-8000-000000000000:1', '1'],
        ['HSET', lock, 'mode', 'read', '6a617661-0000-4000-8000-000000000000:1', '1'],
        ['SET', hold, '1', 'PX', '40009'],
        ['SET', hold, '1', 'PX', '40009'],
        ['HDEL', lock, '6a617661-0000-4000-8000-000000000000:1'],
        ['DEL', lock],
        ['DEL', readers],
        ['SET', lock, 'text', ...BRIEFLY],
        ['HSET', lock, '6a617661-0000-4000-8000-000000000000:2', '1'],
        ['SET', waiting, 'text', ...BRIEFLY],
        ['DEL', waiting],
        ['DEL', tickets],
      ]),
    );
  }
}

export function rwlockWorld(cast: Cast): World {
  const lock = new ReadWriteLock(cast);
  return { keys: lock.all, next: () => lock.next() };
}
