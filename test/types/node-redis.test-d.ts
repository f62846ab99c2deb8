// The clients of node-redis fit as templates. Their types take a compiler as long as all other tests together, so the
// linter does not read this file.

import type * as redis6 from '@redis/client';
import type * as redis4 from 'redis-4';
import type * as redis5 from 'redis-5';
import { expectTypeOf } from 'vitest';
import type {
  ClientOptions,
  DriverInstance,
  NodeRedisClient,
  NodeRedisCluster,
  QuorumOptions,
} from '../../src/index.js';

// Clients of node-redis fit without its types, as those of one server do in a quorum.
type Server = QuorumOptions['servers'][number];
type Of<Make extends (...args: never[]) => unknown> = ReturnType<Make>;
expectTypeOf<Of<typeof redis4.createClient>>().toExtend<NodeRedisClient>();
expectTypeOf<Of<typeof redis5.createClient>>().toExtend<NodeRedisClient>();
expectTypeOf<Of<typeof redis6.createClient>>().toExtend<NodeRedisClient>();
expectTypeOf<Of<typeof redis5.createCluster>>().toExtend<NodeRedisCluster>();
expectTypeOf<Of<typeof redis6.createCluster>>().toExtend<NodeRedisCluster>();
expectTypeOf<NodeRedisClient>().toExtend<ClientOptions['redis']>();
expectTypeOf<NodeRedisCluster>().toExtend<ClientOptions['redis']>();
expectTypeOf<NodeRedisClient>().toExtend<DriverInstance>();
expectTypeOf<NodeRedisClient>().toExtend<Server>();
expectTypeOf<NodeRedisCluster>().not.toExtend<Server>();
// What cannot be read is no template.
expectTypeOf<Of<typeof redis4.createCluster>>().not.toExtend<ClientOptions['redis']>();
expectTypeOf<Of<typeof redis5.createClientPool>>().not.toExtend<ClientOptions['redis']>();
expectTypeOf<Of<typeof redis6.createClientPool>>().not.toExtend<ClientOptions['redis']>();
expectTypeOf<Of<typeof redis5.createSentinel>>().not.toExtend<ClientOptions['redis']>();
expectTypeOf<Of<typeof redis6.createSentinel>>().not.toExtend<ClientOptions['redis']>();
expectTypeOf<{ url: string }>().not.toExtend<NodeRedisClient>();
