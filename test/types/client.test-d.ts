// The public types of the client, checked by the compiler against the contract.

import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { Cluster as Cluster5, Redis as Redis5 } from 'ioredis-5';
import type { Cluster as IovalkeyCluster, Redis as Iovalkey } from 'iovalkey';
import { expectTypeOf } from 'vitest';
import { createClient } from '../../src/index.js';
import type {
  Client,
  ClientEvents,
  ClientOptions,
  CountDownLatch,
  Credentials,
  DriverInstance,
  FencedHold,
  FencedLock,
  Hold,
  LeaseLostError,
  MultiHold,
  MultiLock,
  Lock,
  ObjectKind,
  Permit,
  PermitExpirableSemaphore,
  PermitsSetting,
  ReadWriteLock,
  ReplicasOptions,
  Semaphore,
} from '../../src/index.js';

expectTypeOf<typeof createClient>().toEqualTypeOf<
  (options?: ClientOptions | DriverInstance | string) => Client
>();
expectTypeOf<Redis>().toExtend<DriverInstance>();
expectTypeOf<Cluster>().toExtend<DriverInstance>();
expectTypeOf<Redis5>().toExtend<DriverInstance>();
expectTypeOf<Cluster5>().toExtend<DriverInstance>();
expectTypeOf<Iovalkey>().toExtend<DriverInstance>();
expectTypeOf<IovalkeyCluster>().toExtend<DriverInstance>();

// Every form of a template fits, and so does nothing at all.
expectTypeOf<string>().toExtend<ClientOptions['redis']>();
expectTypeOf<RedisOptions>().toExtend<ClientOptions['redis']>();
expectTypeOf<Redis>().toExtend<ClientOptions['redis']>();
expectTypeOf<Cluster>().toExtend<ClientOptions['redis']>();
expectTypeOf<{ leaseMs: number }>().toExtend<ClientOptions>();
expectTypeOf<number>().not.toExtend<ClientOptions['redis']>();
expectTypeOf<Omit<ClientOptions, 'redis'>>().toEqualTypeOf<{
  keyPrefix?: string | undefined;
  leaseMs?: number | undefined;
  commandTimeoutMs?: number | undefined;
  waitMs?: number | undefined;
  maxWaiters?: number | undefined;
  stalledAfterMs?: number | undefined;
  shardedSubscriptionMode?: 'auto' | 'on' | 'off' | undefined;
  handOff?: 'direct' | 'strict' | undefined;
  reentry?: 'scope' | 'explicit' | undefined;
  replicas?: ReplicasOptions | undefined;
  label?: string | undefined;
  credentials?:
    | ((server: { host: string; port: number }) => Credentials | Promise<Credentials>)
    | undefined;
}>();
expectTypeOf<Credentials>().toEqualTypeOf<{
  username?: string | undefined;
  password: string;
  expiresAtMs?: number | undefined;
}>();

expectTypeOf<Client>().toExtend<AsyncDisposable>();
expectTypeOf<keyof Client>().toEqualTypeOf<
  | 'id'
  | 'getLock'
  | 'getFairLock'
  | 'getFencedLock'
  | 'getMultiLock'
  | 'getReadWriteLock'
  | 'getSemaphore'
  | 'getPermitExpirableSemaphore'
  | 'getCountDownLatch'
  | 'on'
  | 'once'
  | 'off'
  | 'adopt'
  | 'guarantees'
  | 'close'
  | typeof Symbol.asyncDispose
>();
expectTypeOf<Client['id']>().toEqualTypeOf<string>();
expectTypeOf<Client['adopt']>().toEqualTypeOf<
  (
    detached: string,
    options?: { leaseMs?: number | undefined },
  ) => Promise<Hold | FencedHold | Permit>
>();
expectTypeOf<Client['getLock']>().toEqualTypeOf<(name: string) => Lock>();
expectTypeOf<Client['getFencedLock']>().toEqualTypeOf<(name: string) => FencedLock>();
expectTypeOf<Client['getFairLock']>().toEqualTypeOf<(name: string) => Lock>();
expectTypeOf<Client['getReadWriteLock']>().toEqualTypeOf<(name: string) => ReadWriteLock>();
interface PermitsOptions {
  permits?: number | PermitsSetting | undefined;
}
expectTypeOf<Client['getSemaphore']>().toEqualTypeOf<
  (name: string, options?: PermitsOptions) => Semaphore
>();
expectTypeOf<Client['getPermitExpirableSemaphore']>().toEqualTypeOf<
  (name: string, options?: PermitsOptions) => PermitExpirableSemaphore
>();
expectTypeOf<PermitsSetting>().toEqualTypeOf<{
  count: number;
  onMismatch?: 'keep' | 'set' | 'error' | undefined;
  idleMs?: number | undefined;
}>();
expectTypeOf<Client['getMultiLock']>().toEqualTypeOf<
  (names: readonly string[], options?: { fenced?: boolean | undefined }) => MultiLock
>();
expectTypeOf<MultiLock>().toExtend<Lock>();
expectTypeOf<Awaited<ReturnType<MultiLock['acquire']>>>().toEqualTypeOf<MultiHold>();
expectTypeOf<MultiHold['fencingTokens']>().toEqualTypeOf<ReadonlyMap<string, bigint>>();
expectTypeOf<Client['getCountDownLatch']>().toEqualTypeOf<(name: string) => CountDownLatch>();
expectTypeOf<Client['close']>().toEqualTypeOf<
  (options?: { timeoutMs?: number | undefined }) => Promise<void>
>();

// "Not given" may be said, also under exactOptionalPropertyTypes.
expectTypeOf<{ [K in keyof ClientOptions]-?: undefined }>().toExtend<ClientOptions>();

expectTypeOf<ObjectKind>().toEqualTypeOf<
  | 'lock'
  | 'fair-lock'
  | 'fenced-lock'
  | 'read-lock'
  | 'write-lock'
  | 'multi-lock'
  | 'quorum-lock'
  | 'semaphore'
  | 'permit-expirable-semaphore'
  | 'count-down-latch'
>();

declare const client: Client;

// @ts-expect-error -- the id of a client is not the caller's to choose
client.id = 'mine';
// @ts-expect-error -- there is no such option
createClient({ id: 'mine' });
// @ts-expect-error -- durations are numbers of milliseconds
createClient({ leaseMs: '30s' });
// @ts-expect-error -- Redisson's constant is in capitals, ours is not
createClient({ shardedSubscriptionMode: 'OFF' });
// @ts-expect-error -- a name is required
client.getLock();

// Listeners know what they get, and can be chained.
expectTypeOf(client.on('error', () => {})).toExtend<Client>();
expectTypeOf(client.once('lost', () => {})).toExtend<Client>();
expectTypeOf(client.off('acquired', () => {})).toExtend<Client>();
// @ts-expect-error -- there is no such event
client.on('granted', () => {});

type Payload<E extends keyof ClientEvents> = Parameters<ClientEvents[E]>[0];
/** The same members, whatever they are composed of. */
type Flat<T> = { -readonly [K in keyof T]: T[K] };
interface About {
  resource: string;
  kind: ObjectKind;
  holderId: string;
}

expectTypeOf<keyof ClientEvents>().toEqualTypeOf<
  | 'acquired'
  | 'released'
  | 'suspect'
  | 'lost'
  | 'stalled'
  | 'configured'
  | 'replicas'
  | 'contended'
  | 'error'
>();
expectTypeOf<Flat<Payload<'contended'>>>().toEqualTypeOf<Flat<About>>();
expectTypeOf<Flat<Payload<'acquired'>>>().toEqualTypeOf<Flat<About & { waitedMs: number }>>();
expectTypeOf<Flat<Payload<'released'>>>().toEqualTypeOf<
  Flat<About & { heldMs: number; error?: Error }>
>();
expectTypeOf<Flat<Payload<'lost'>>>().toEqualTypeOf<Flat<About & { error: LeaseLostError }>>();
expectTypeOf<Flat<Payload<'replicas'>>>().toEqualTypeOf<
  Flat<About & { acknowledged: number; min: number }>
>();
expectTypeOf<keyof Payload<'suspect'>>().toEqualTypeOf<keyof About | 'remainingMs' | 'cause'>();
expectTypeOf<Payload<'suspect'>['remainingMs']>().toEqualTypeOf<number>();
expectTypeOf<keyof Payload<'stalled'>>().toEqualTypeOf<
  'resource' | 'kind' | 'waitedMs' | 'holders' | 'waiters' | 'uninitialised' | 'note' | 'part'
>();
expectTypeOf<Flat<Payload<'configured'>>>().toEqualTypeOf<
  Flat<Omit<About, 'holderId'> & { permits: number; wanted: number }>
>();
expectTypeOf<Payload<'stalled'>['waiters']>().toEqualTypeOf<number>();
expectTypeOf<Payload<'stalled'>['holders'][number]>().toExtend<{
  readonly holderId: string;
  readonly depth: number;
  readonly remainingMs: number;
}>();
expectTypeOf<Flat<Payload<'error'>>>().toEqualTypeOf<{ error: Error }>();
