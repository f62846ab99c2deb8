// Random commands: every command of the simulated server, with every option.

import type { Random } from '../../../src/testing/random.js';
import { type Draw, KEYS } from './draw.js';

type Maker = (draw: Draw) => string[];

const keys: Record<string, readonly [weight: number, make: Maker]> = {
  exists: [2, (draw) => draw.some(3, () => draw.anyKey())],
  del: [2, (draw) => draw.some(2, () => draw.anyKey())],
  unlink: [1, (draw) => draw.some(2, () => draw.anyKey())],
  type: [1, (draw) => [draw.anyKey()]],
  keys: [
    0.5,
    (draw) => [
      draw.random.pick([
        '*',
        'h*',
        '?',
        '[hs]',
        '[^h-s]?',
        'l\\*2',
        '*\0*',
        'z[\r?]*',
        '',
        'h\\[*',
      ]),
    ],
  ],
  flushall: [0.02, (draw) => draw.maybe(0.5, () => [draw.word('SYNC', 'ASYNC', 'NOW')])],
  pttl: [2, (draw) => [draw.anyKey()]],
  pexpiretime: [1, (draw) => [draw.anyKey()]],
  persist: [1, (draw) => [draw.anyKey()]],
  pexpire: [
    4,
    (draw) => [
      draw.anyKey(),
      draw.lease(),
      ...draw.maybe(0.4, () => draw.some(2, () => draw.word('NX', 'XX', 'GT', 'LT', 'OX'))),
    ],
  ],
  pexpireat: [
    2,
    (draw) => [
      draw.anyKey(),
      draw.instant(),
      ...draw.maybe(0.4, () => [draw.word('NX', 'XX', 'GT', 'LT')]),
    ],
  ],
  time: [0.5, () => []],
};

function setOption(draw: Draw): string[] {
  const option = draw.word('NX', 'XX', 'GET', 'KEEPTTL', 'PX', 'PX', 'EX', 'PXAT', 'EXAT', 'YY');
  switch (option.toUpperCase()) {
    case 'PX':
      return [option, draw.lease()];
    case 'EX':
      return [option, draw.random.chance(0.9) ? '3600' : draw.random.pick(['0', '-1', 'x'])];
    case 'PXAT':
      return [option, draw.instant()];
    case 'EXAT':
      return [option, String(Math.floor(draw.now / 1000) + 7200)];
    default:
      return [option];
  }
}

const strings: typeof keys = {
  get: [3, (draw) => [draw.key('string')]],
  set: [
    5,
    (draw) => [
      draw.key('string'),
      draw.value(),
      ...draw.maybe(0.6, () => setOption(draw)),
      ...draw.maybe(0.2, () => setOption(draw)),
    ],
  ],
  incr: [2, (draw) => [draw.key('string')]],
  decr: [2, (draw) => [draw.key('string')]],
  incrby: [2, (draw) => [draw.key('string'), draw.integer()]],
  decrby: [2, (draw) => [draw.key('string'), draw.integer()]],
};

const hashes: typeof keys = {
  hset: [6, (draw) => [draw.key('hash'), ...draw.some(3, draw.field.bind(draw)), draw.value()]],
  hget: [2, (draw) => [draw.key('hash'), draw.field()]],
  hdel: [4, (draw) => [draw.key('hash'), ...draw.some(4, draw.field.bind(draw))]],
  hexists: [2, (draw) => [draw.key('hash'), draw.field()]],
  hlen: [1, (draw) => [draw.key('hash')]],
  hgetall: [1, (draw) => [draw.key('hash')]],
  hscan: [
    2,
    (draw) => [
      draw.key('hash'),
      draw.random.chance(0.9) ? '0' : draw.random.pick(['', 'x', '-1', '+1', '7', '1.5']),
      ...draw.maybe(0.5, () => [
        draw.word('COUNT'),
        draw.random.chance(0.7) ? '250' : draw.count(),
      ]),
      ...draw.maybe(0.2, () => [draw.word('MATCH'), draw.random.pick(['*', 'a*', '[^a]*', '-5'])]),
      ...draw.maybe(0.03, () => [draw.word('TYPE')]),
    ],
  ],
  hrandfield: [
    2,
    (draw) => [
      draw.key('hash'),
      ...draw.maybe(0.8, () => [
        draw.random.chance(0.5) ? '200' : draw.count(),
        ...draw.maybe(0.6, () => [draw.word('WITHVALUES', 'WITHVALUES', 'WITHSCORES')]),
      ]),
    ],
  ],
};

const lists: typeof keys = {
  lpush: [2, (draw) => [draw.key('list'), ...draw.some(2, draw.member.bind(draw))]],
  rpush: [4, (draw) => [draw.key('list'), ...draw.some(3, draw.member.bind(draw))]],
  lpop: [3, (draw) => [draw.key('list'), ...draw.maybe(0.3, () => [draw.count()])]],
  lindex: [2, (draw) => [draw.key('list'), draw.integer()]],
  llen: [1, (draw) => [draw.key('list')]],
  lrange: [2, (draw) => [draw.key('list'), draw.integer(), draw.integer()]],
  lrem: [4, (draw) => [draw.key('list'), draw.integer(), draw.member()]],
  linsert: [
    2,
    (draw) => [
      draw.key('list'),
      draw.word('BEFORE', 'AFTER', 'AFTER', 'BESIDE'),
      draw.member(),
      draw.member(),
    ],
  ],
  lpos: [
    3,
    (draw) => [
      draw.key('list'),
      draw.member(),
      ...draw.maybe(0.4, () => [draw.word('RANK'), draw.count()]),
      ...draw.maybe(0.3, () => [draw.word('COUNT'), draw.integer()]),
      ...draw.maybe(0.2, () => [draw.word('MAXLEN'), draw.integer()]),
      ...draw.maybe(0.03, () => [draw.word('LEN'), '1']),
    ],
  ],
};

function limit(draw: Draw): string[] {
  return [draw.word('LIMIT'), draw.count(), draw.count()];
}

const sortedSets: typeof keys = {
  zadd: [
    10,
    (draw) => [
      draw.key('zset'),
      ...draw.maybe(0.5, () => [draw.word('NX', 'XX', 'GT', 'LT')]),
      ...draw.maybe(0.1, () => [draw.word('NX', 'XX', 'GT', 'LT')]),
      ...draw.maybe(0.25, () => [draw.word('CH')]),
      ...draw.maybe(0.3, () => [draw.word('INCR')]),
      draw.score(),
      draw.member(),
      ...draw.maybe(0.3, () => [draw.score(), draw.member()]),
    ],
  ],
  zrem: [3, (draw) => [draw.key('zset'), ...draw.some(3, draw.member.bind(draw))]],
  zscore: [2, (draw) => [draw.key('zset'), draw.member()]],
  zmscore: [1, (draw) => [draw.key('zset'), ...draw.some(3, draw.member.bind(draw))]],
  zcard: [1, (draw) => [draw.key('zset')]],
  zcount: [3, (draw) => [draw.key('zset'), draw.bound(), draw.bound()]],
  zrange: [
    5,
    (draw) => {
      const byScore = draw.random.chance(0.5);
      const end = (): string => (byScore ? draw.bound() : draw.integer());
      return [
        draw.key('zset'),
        end(),
        end(),
        ...(byScore ? [draw.word('BYSCORE')] : []),
        ...draw.maybe(0.3, () => [draw.word('REV')]),
        ...draw.maybe(byScore ? 0.4 : 0.05, () => limit(draw)),
        ...draw.maybe(0.5, () => [draw.word('WITHSCORES')]),
      ];
    },
  ],
  zrevrange: [
    2,
    (draw) => [
      draw.key('zset'),
      draw.integer(),
      draw.integer(),
      ...draw.maybe(0.5, () => [draw.word('WITHSCORES', 'WITHSCORES', 'REV', 'BYSCORE')]),
    ],
  ],
  zrangebyscore: [
    3,
    (draw) => [
      draw.key('zset'),
      draw.bound(),
      draw.bound(),
      ...draw.maybe(0.4, () => [draw.word('WITHSCORES')]),
      ...draw.maybe(0.4, () => limit(draw)),
    ],
  ],
  zremrangebyscore: [2, (draw) => [draw.key('zset'), draw.bound(), draw.bound()]],
};

export const MAKERS = { ...keys, ...strings, ...hashes, ...lists, ...sortedSets };

const WEIGHTED = Object.entries(MAKERS).map(
  ([name, [weight, make]]) => [weight, () => ({ name, make })] as const,
);

/** Takes an argument away, adds one, or makes one something else. */
function spoilt(args: readonly string[], random: Random): string[] {
  const at = random.int(1, Math.max(args.length - 1, 1));
  return random.weighted([
    [1, () => args.slice(0, -1)],
    [1, () => [...args, 'x']],
    [1, () => args.with(Math.min(at, args.length - 1), random.pick(['', 'x', '1.5']))],
  ]);
}

export function randomCommand(draw: Draw): string[] {
  const { random } = draw;
  if (random.chance(0.001)) {
    return ['NoSuchCommand', ...draw.some(6, () => random.pick(['a', 'b\r\nc', 'x'.repeat(60)]))];
  }
  const { name, make } = random.weighted(WEIGHTED);
  const args = make(draw);
  return [
    draw.word(name.toUpperCase()),
    ...(random.chance(0.97) || args.length === 0 ? args : spoilt(args, random)),
  ];
}

/** Commands that give some keys a life of a few ms, each key at most once. */
export function briefLives({ random }: Draw): string[][] {
  const chosen = KEYS.filter(() => random.chance(0.2));
  return chosen.map((key) => {
    const life = String(random.int(1, 3));
    return random.chance(0.7) ? ['PEXPIRE', key, life] : ['SET', key, 'brief', 'PX', life];
  });
}
