import {
  fairLockAcquire,
  fairLockForceRelease,
  fairLockRelease,
  lockAcquire,
  lockAcquireFenced,
  lockEnter,
  lockForceRelease,
  lockHoldCount,
  lockInspect,
  lockLease,
  lockRecheck,
  lockRelease,
  lockRenew,
  multiLockAcquire,
  multiLockRelease,
  quorumRaiseTokens,
  requestsCancel,
} from '../../../../src/core/wire/scripts.generated.js';
import { BRIEFLY, type Cast, foreign, operation, type Operation, type World } from './cast.js';
import { handOver } from './hand-over.js';

/** What looks at a lock, and renews it, is the same for fair locks. */
function look(cast: Cast): Operation {
  const { key: lock } = cast;
  const other = cast.beside('other');
  return cast.choose([
    [1, () => operation(lockHoldCount, { lock }, { holder: cast.holder() })],
    [1, () => operation(lockLease, { lock }, {})],
    [1, () => operation(lockInspect, { lock }, { cursor: '0' })],
    [
      3,
      () => {
        const claims = [cast.holder(), `${cast.renewalMs()}`, cast.holder(), `${cast.renewalMs()}`];
        return operation(lockRenew, { locks: [lock, other] }, { claims });
      },
    ],
    [0.5, () => foreign('HSET', other, cast.holder(), '1')],
    [0.2, () => foreign('SET', other, 'text', ...BRIEFLY)],
    [0.2, () => foreign('DEL', other)],
  ]);
}

function disturb({ random, key }: Cast): Operation {
  return foreign(
    ...random.pick([
      ['DEL', key],
      ['DEL', key],
      ['HSET', key, '6a617661-0000-4000-8000-000000000000:1', '1'],
      ['PEXPIRE', key, '45007'],
      ['PERSIST', key],
      ['SET', key, 'text', ...BRIEFLY],
      ['HSET', key, 'mode', 'read'],
      ['SET', key, 'text', ...BRIEFLY],
    ]),
  );
}

/** What somebody may have made of the last token. */
const COUNTERS = ['9007199254740992', '19007199254740993', '9223372036854775807', '7', 'x'];

/** This lock and another one, in whose line nobody ever stands. */
function jointWorld(cast: Cast): {
  keys: readonly string[];
  acquire: () => Operation;
  release: () => Operation;
  raise: () => Operation;
} {
  const { key, notice, random } = cast;
  const [other, line, tickets, token] = ['other', 'other-line', 'other-tickets', 'other-token'].map(
    (word) => cast.beside(word),
  ) as [string, string, string, string];
  const tombstone = (holder: string): string => `${cast.beside('other-tombstone')}:${holder}`;
  const ofLocks = (first: string, second: string): string[] => {
    const own = [key, cast.tombstone(first), cast.beside('line'), cast.beside('tickets')];
    const tokens = cast.flag() === 1 ? [cast.beside('token'), token] : [];
    return [...own, other, tombstone(second), line, tickets, ...tokens];
  };
  return {
    keys: [other, line, tickets, token, ...cast.holders.map(tombstone)],
    acquire: () => {
      const holder = cast.holder();
      const marks = [random.pick(['0', '1', '-']), '-'];
      const terms = marks.map((mark) => (random.chance(0.3) ? cast.holder() : mark));
      const leases = { leaseMs: cast.leaseMs(), partMs: cast.leaseMs(), windowMs: 4_001 };
      const flags = { isExact: cast.flag(), all: cast.flag() };
      const args = { holder, ...leases, ...flags, publish: notice.publish, terms };
      return operation(multiLockAcquire, { ofLocks: ofLocks(holder, holder) }, args);
    },
    release: () => {
      const holders = [cast.holder(), cast.holder()] as const;
      const terms = holders.flatMap((holder) => [
        holder,
        `${cast.flag()}`,
        random.pick(['0', '120017']),
        notice.channel,
        random.pick(['-1', '0', '1']),
      ]);
      const keys = { ofLocks: ofLocks(...holders) };
      return operation(multiLockRelease, keys, { publish: notice.publish, terms });
    },
    raise: () => {
      const tokens = [random.pick(['7', '70', '9223372036854775807']), '19007199254740994'];
      const locks = [key, cast.beside('token'), other, token];
      return operation(quorumRaiseTokens, { locks }, { holder: cast.holder(), tokens });
    },
  };
}

export function lockWorld(cast: Cast): World {
  const { key: lock, notice, random } = cast;
  const [requests, token] = [cast.beside('requests'), cast.beside('token')];
  const [line, tickets] = [cast.beside('line'), cast.beside('tickets')];
  const inLine = () => ({ lock, line, tickets, token: cast.flag() === 1 ? [token] : [] });
  const tombstones = cast.holders.map((holder) => cast.tombstone(holder));
  const ask = (): { holder: string; count: number; leaseMs: number } => ({
    holder: cast.holder(),
    count: cast.count(),
    leaseMs: cast.leaseMs(),
  });
  const joint = jointWorld(cast);
  return {
    keys: [lock, ...joint.keys, requests, token, line, tickets, ...tombstones],
    next: () =>
      cast.choose([
        [
          5,
          () => {
            const args = ask();
            return operation(lockAcquire, { lock, tombstone: cast.tombstone(args.holder) }, args);
          },
        ],
        [
          5,
          () => {
            const args = ask();
            const keys = { lock, tombstone: cast.tombstone(args.holder), token };
            return operation(lockAcquireFenced, keys, args);
          },
        ],
        [
          7,
          () => {
            const holder = cast.holder();
            const keys = { ...inLine(), tombstone: cast.tombstone(holder) };
            const terms = { leaseMs: cast.leaseMs(), windowMs: 4_001, isListening: cast.flag() };
            const { publish } = notice;
            const replaces = cast.random.chance(0.3) ? cast.holder() : '';
            const args = { holder, ...terms, tokens: 1 + cast.flag(), publish, replaces };
            return operation(lockEnter, keys, args);
          },
        ],
        [4, joint.acquire],
        [4, joint.release],
        [2, joint.raise],
        [
          4,
          () => {
            const all = cast.few(() => [inLine(), cast.holder()] as const);
            const ofTickets = all.flatMap(([keys]) => [lock, line, tickets, ...keys.token]);
            const terms = all.flatMap(([keys, holder]) => [
              holder,
              `${cast.renewalMs()}`,
              '4001',
              `${cast.flag()}`,
              `${keys.token.length}`,
            ]);
            return operation(lockRecheck, { ofTickets }, { publish: notice.publish, terms });
          },
        ],
        [
          7,
          () => {
            const holder = cast.holder();
            const terms = { count: cast.left(), tombstoneMs: cast.tombstoneMs() };
            const keys = { ...inLine(), tombstone: cast.tombstone(holder) };
            const listens = cast.flag() - cast.flag();
            return operation(lockRelease, keys, { holder, ...terms, ...notice, listens });
          },
        ],
        [
          2,
          () =>
            operation(
              lockForceRelease,
              { ...inLine(), requests },
              { ...cast.request(), ...notice, ...cast.allTombstones() },
            ),
        ],
        [0.5, () => operation(requestsCancel, { requests }, cast.request())],
        [3, () => handOver(cast, [line])],
        [5, () => look(cast)],
        [0.8, () => disturb(cast)],
        [0.8, () => foreign('SET', token, random.pick(COUNTERS))],
      ]),
  };
}

export function fairLockWorld(cast: Cast): World {
  const { key: lock, notice, random } = cast;
  const requests = cast.beside('requests');
  const [queue, timeouts] = [cast.beside('queue'), cast.beside('timeouts')];
  const [heartbeats, twin] = [cast.beside('heartbeats'), cast.beside('twin')];
  const tickets = cast.beside('tickets');
  const queues = { queue, timeouts, heartbeats, tickets };
  const tombstones = cast.holders.map((holder) => cast.tombstone(holder));
  const acquire = (): Operation => {
    const holder = cast.holder();
    const args = {
      holder,
      count: cast.count(),
      leaseMs: cast.leaseMs(),
      position: random.pick(['none', 'queue', 'queue', 'queue', 'front']),
      windowMs: random.pick([0, cast.leaseMs()]),
      ...notice,
    };
    const twinHeartbeats = random.chance(0.3) ? [twin] : [];
    const keys = { lock, tombstone: cast.tombstone(holder), ...queues, twinHeartbeats };
    return operation(fairLockAcquire, keys, args);
  };
  const release = (): Operation => {
    const holder = cast.holder();
    const terms = { count: cast.left(), tombstoneMs: cast.tombstoneMs() };
    const keys = { lock, tombstone: cast.tombstone(holder), ...queues };
    const others = cast.few(() => cast.holder());
    return operation(fairLockRelease, keys, { holder, ...terms, ...notice, others });
  };
  /** A Java waiter enters or leaves. */
  const java = (): Operation => {
    const waiter = random.pick([
      '6a617661-0000-4000-8000-000000000000:1',
      '6a617661-0000-4000-8000-000000000000:2',
    ]);
    const score = String(Date.now() + random.int(-5, 300) * 1_000);
    return foreign(
      ...random.pick([
        ['RPUSH', queue, waiter],
        ['RPUSH', queue, waiter],
        ['ZADD', timeouts, score, waiter],
        ['ZADD', timeouts, score, waiter],
        ['LREM', queue, '0', waiter],
        ['LPOP', queue],
        ['ZREM', timeouts, waiter],
        ['ZADD', twin, String(Date.now() - random.int(0, 8_000)), cast.client()],
        ['DEL', twin],
        ['DEL', queue],
        ['SET', queue, 'text', ...BRIEFLY],
      ]),
    );
  };
  return {
    keys: [
      lock,
      cast.beside('other'),
      requests,
      queue,
      timeouts,
      heartbeats,
      tickets,
      twin,
      ...tombstones,
    ],
    next: () =>
      cast.choose([
        [12, acquire],
        [6, release],
        [
          1,
          () =>
            operation(
              fairLockForceRelease,
              { lock, requests, ...queues },
              { ...cast.request(), ...notice, ...cast.allTombstones() },
            ),
        ],
        [2, () => handOver(cast, [queue])],
        [2, () => look(cast)],
        [0.5, () => disturb(cast)],
        [2, java],
      ]),
  };
}
