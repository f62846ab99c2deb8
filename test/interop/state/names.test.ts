// Scenario 9: whatever an object is called, both sides mean the same keys and channels by it, or we
// say that we do not take the name.

import { describe, expect, onTestFinished, test } from 'vitest';
import { slotOf } from '../../../src/core/connection/slots.js';
import { thrown } from '../../integration/bad-input/bad-input.js';
import { latchChannel } from '../../support/latch-channel.js';
import { handOvers } from './footprint.js';
import { kinds, titledKinds } from '../wake-ups/wake-up-kinds.js';
import { objectKinds } from '../../support/kinds/objects.js';
import { interopWorlds, stopTimers } from '../support/world.js';

const open = interopWorlds('names');

type Shape = (base: string) => string;

const LONGEST_BYTES = 512;

function filled(base: string, with_: string): string {
  const left = LONGEST_BYTES - Buffer.byteLength(base);
  const bytes = Buffer.byteLength(with_);
  return base + with_.repeat(Math.floor(left / bytes)) + '-'.repeat(left % bytes);
}

const shapes: Readonly<Record<string, Shape>> = {
  'a tag at the start': (base) => `{${base}}b`,
  'a tag in the middle': (base) => `a:{${base}}:c`,
  'a tag at the end': (base) => `a:{${base}}`,
  'nothing but a tag': (base) => `{${base}}`,
  'a tag beside the rest': (base) => `{t-${base.length}}${base}`,
  emoji: (base) => `${base}-😀-👩‍👩‍👧-🇪🇺`,
  'combining characters': (base) => `${base}-e\u0301-ｱﾞ-\u0915\u094D\u0937`,
  'Chinese, Japanese and Korean': (base) => `${base}-锁-ロック-잠금`,
  'right to left': (base) => `${base}-מנעול-قفل-\u202Eabc`,
  'upper and lower case': (base) => `${base}-İıẞß-AbC`,
  blanks: (base) => ` \t ${base}  b  `,
  'blanks in a tag': (base) => `{ ${base} }`,
  quotes: (base) => `${base}'"\`\\"`,
  'line breaks': (base) => `\n${base}\r\n\r\u2028`,
  colons: (base) => `:${base}::b:`,
  'what patterns are made of': (base) => `*?[a-z]^\\*${base}*`,
  'what Lua and formats are made of': (base) => `${base}%s%d%%$1[[x]]--`,
  'control characters': (base) => `${base}\u0000\u0001\u007F\u0080`,
  'a byte order mark and no character': (base) => `\uFEFF${base}\uFFFD`,
  'a name like a channel': (base) => `redisson_lock__channel:${base}`,
  '512 bytes': (base) => filled(base, 'a'),
  '512 bytes of emoji': (base) => filled(base, '😀'),
  '512 bytes around a tag': (base) => filled(`{${base}}`, 'é'),
};

describe.each(Object.entries(shapes))('a name with or of %s', (_, shape) => {
  test('is the same keys and channels to both, and a message crosses', async (context) => {
    stopTimers();
    const world = await open(context);

    for (const [i, kind] of kinds.entries()) {
      const base = `${world.name}-${i}`;
      const name = shape(base);
      const { nodeHolds, javaHolds } = await handOvers(world, kind, { name, base });

      expect(javaHolds, kind.what).toEqual(nodeHolds);
      expect(javaHolds.keys, kind.what).toContain(name.replace(base, 'BASE'));
      expect(javaHolds.channels, kind.what).toHaveLength(1);
    }
  });
});

test('C1: the channel of a latch puts braces around a name that has a tag', async (context) => {
  stopTimers();
  const world = await open(context);
  const name = `{${world.name}}:latch`;
  const latch = kinds.find(({ what }) => what === 'latch')!;

  const { javaHolds } = await handOvers(world, latch, { name, base: world.name });

  expect(javaHolds.channels).toEqual([latchChannel('{BASE}:latch')]);
  // In a cluster the two are in different slots, which Java cannot do.
  expect(slotOf(latchChannel(name))).not.toBe(slotOf(name));
});

/** Equal to the eye, or to somebody who folds or trims. */
const twins: Readonly<Record<string, readonly [Shape, Shape]>> = {
  'composed and not': [(base) => `${base}-\u00E9`, (base) => `${base}-e\u0301`],
  'upper and lower case': [(base) => `${base}-a`, (base) => `${base}-A`],
  'with a blank behind': [(base) => `${base}-a`, (base) => `${base}-a `],
  'with a tag and without': [(base) => `{${base}}-a`, (base) => `${base}-a`],
};

test.each(Object.entries(twins))('two names are two objects: %s', async (_, [one, two]) => {
  const { name, java, node } = await open({ onTestFinished });
  const thread = java.thread('holder');
  await thread.call('lock.lock', one(name));

  const hold = await node.getLock(two(name)).tryAcquire();
  const refused = await node.getLock(one(name)).tryAcquire();
  const seen = await thread.call('lock.isLocked', two(name));

  expect(refused).toBeNull();
  expect([hold?.isHeld, seen]).toEqual([true, true]);
  await hold?.release();
  await thread.call('lock.unlock', one(name));
});

describe('a name that we refuse', () => {
  const odd: Readonly<Record<string, Shape>> = {
    'N1: an opening brace alone': (base) => `${base}{b`,
    'N1: an empty tag': (base) => `{}${base}`,
    'N1: a closing brace alone': (base) => `${base}}b`,
    'N1: two tags': (base) => `{${base}}{b}`,
    'N2: a closing brace before the tag': (base) => `${base}}b{c}d`,
  };

  test.each(Object.entries(odd))(
    '%s: Java takes it as long as there is no cluster',
    async (what, shape) => {
      const { name: base, java, node } = await open({ onTestFinished });
      const name = shape(base);
      const thread = java.thread('holder');

      await thread.call('lock.lock', name);
      await thread.call('lock.unlock', name);
      const errors = objectKinds.map(({ get }) => thrown(() => get(node, name)));

      for (const error of errors) {
        expect(error).toBeInstanceOf(RangeError);
        expect(String(error)).toContain('name must have no braces or one hash tag');
        expect(String(error)).toContain(JSON.stringify(name));
      }
      // Redisson puts braces around a name exactly when it has no opening one.
      const channel = `redisson_lock__channel:${name.includes('{') ? name : `{${name}}`}`;
      const isSplit = !what.startsWith('N2') && !what.endsWith('two tags');
      expect(slotOf(channel) !== slotOf(name)).toBe(isSplit);
    },
  );

  test('half a character, which Java writes as a question mark', async () => {
    const { name: base, raw, java, node } = await open({ onTestFinished });
    const name = `${base}-\uD83D`;
    const thread = java.thread('holder');

    await thread.call('lock.lock', name);
    const stored = await raw.exists(`${base}-?`);
    await thread.call('lock.unlock', name);

    expect(stored).toBe(1);
    for (const { get } of objectKinds) {
      const error = thrown(() => get(node, name));
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain('name must be well-formed Unicode');
    }
  });

  test('513 bytes, which Java takes', async () => {
    const { name: base, java, node } = await open({ onTestFinished });
    const name = `${filled(base, 'é')}a`;
    const thread = java.thread('holder');

    await thread.call('lock.lock', name);
    await thread.call('lock.unlock', name);

    for (const { get } of objectKinds) {
      const error = thrown(() => get(node, name));
      expect(error).toBeInstanceOf(RangeError);
      expect(String(error)).toContain('name must have 1 to 512 bytes in UTF-8, got 513');
    }
  });
});

const prefixes: readonly (readonly [string, Shape])[] = [
  ['plain', (base) => `${base}:`],
  ['with a tag', (base) => `{${base}}:`],
  ['of odd characters', (base) => ` ${base}-é😀*"\n`],
];

describe.each(titledKinds)('%s', (_, kind) => {
  test.for(prefixes)('a key prefix is what a name mapper is: %s', async ([, shape], context) => {
    stopTimers();
    const world = await open(context);
    const { name, raw } = world;
    const [base, other] = [`${name}-a`, `${name}-b`];
    const keyPrefix = shape(base);
    const mapped = {
      raw,
      java: await world.openJava({ keyPrefix }),
      node: world.open({ keyPrefix }),
    };
    const plain = { raw, java: await world.openJava(), node: world.open() };

    const seen = await handOvers(mapped, kind, { name: 'it', base });
    const expected = await handOvers(plain, kind, { name: `${shape(other)}it`, base: other });

    expect(seen.javaHolds).toEqual(seen.nodeHolds);
    expect(seen).toEqual(expected);
  });
});

test('who has the prefix and who writes it out mean the same lock', async (context) => {
  const world = await open(context);
  const { name, java, node } = world;
  const keyPrefix = `${name}:`;
  const mapped = await world.openJava({ keyPrefix });
  const prefixed = world.open({ keyPrefix }).getLock('it');
  const thread = mapped.thread('holder');

  await thread.call('lock.lock', 'it');
  const whileJava = [
    await prefixed.tryAcquire(),
    await node.getLock(`${keyPrefix}it`).isLocked(),
    await node.getLock('it').isLocked(),
  ];
  await thread.call('lock.unlock', 'it');
  const hold = await prefixed.acquire();
  const whileNode = [
    await thread.call('lock.isLocked', 'it'),
    await java.thread('looker').call('lock.isLocked', `${keyPrefix}it`),
  ];
  await hold.release();

  expect(whileJava).toEqual([null, true, false]);
  expect([hold.lockName, ...whileNode]).toEqual(['it', true, true]);
});
