import { isFields, valueOf } from './node-redis-fields.js';

/** The kinds of objects of node-redis that a program may give. */
export type NodeRedisKind = 'client' | 'cluster' | 'sentinel' | 'pool' | 'transaction' | 'legacy';

type Members = readonly (readonly [
  string,
  'function' | 'boolean' | 'number' | 'object' | 'undefined',
])[];

/** The members by which each kind is recognised, since an object may come from any copy and version of node-redis. Each
 * kind has one that is no function, since mocks may have every method there is. */
const MEMBERS: readonly (readonly [NodeRedisKind, Members])[] = [
  ['transaction', [...methods('exec', 'execAsPipeline', 'addCommand'), ['connect', 'undefined']]],
  ['legacy', [...methods('sendCommand', 'hGetAll', 'HGETALL'), ['connect', 'undefined']]],
  [
    'sentinel',
    [
      ...methods('sendCommand', 'connect', 'getMasterNode', 'getSentinelNode'),
      ['isOpen', 'boolean'],
    ],
  ],
  [
    'cluster',
    [...methods('sendCommand', 'connect', 'duplicate', 'getSlotMaster'), ['slots', 'object']],
  ],
  ['pool', [...methods('sendCommand', 'connect', 'execute'), ['totalClients', 'number']]],
  ['client', [...methods('sendCommand', 'connect', 'duplicate', 'multi'), ['isOpen', 'boolean']]],
];

function methods(...names: readonly string[]): (readonly [string, 'function'])[] {
  return names.map((name) => [name, 'function']);
}

/** Which kind of instance of node-redis this is; undefined for anything else. */
export function nodeRedisKind(value: unknown): NodeRedisKind | undefined {
  if (!isFields(value)) {
    return undefined;
  }
  const [kind] =
    MEMBERS.find(([, members]) =>
      members.every(([name, type]) => typeof valueOf(value, name) === type),
    ) ?? [];
  return kind === 'client' && !('options' in value) ? undefined : kind;
}
