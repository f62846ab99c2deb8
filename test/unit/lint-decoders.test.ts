// The lint rule that a decoder returns a refusal, and throws only what it cannot read.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { decodersThatThrow } from '../../scripts/lint/decoders.mjs';

const folder = mkdtempSync(join(tmpdir(), 'redlatch-lint-'));
let files = 0;

afterAll(() => rmSync(folder, { recursive: true }));

function write(source: string): string {
  files += 1;
  const file = join(folder, `file-${files}.ts`);
  writeFileSync(file, source);
  return file;
}

/** The places in a file that the rule reports. */
function reported(source: string): string[] {
  return decodersThatThrow(write(source)).map(({ node }) => source.slice(node.start, node.end));
}

const helper = write(`
  export function picky(reply: unknown) { throw new TypeError('no'); }
  export const plain = (reply: unknown) => String(reply);
`).replace(/^.*\/(.*)\.ts$/, './$1.js');

test.each([
  ['itself', `const it = { decode(reply) { throw new Error('no'); } };`, `throw new Error('no');`],
  ['as an arrow', `const it = { decode: (reply) => { throw fault; } };`, 'throw fault;'],
  [
    'as a constant in a method',
    `class It { make() { const decode = (reply) => { throw no(); }; return { decode }; } }`,
    'throw no();',
  ],
  [
    'in a function by name',
    `const it = { decode: read }; function read(reply) { throw new RangeError('no'); }`,
    `throw new RangeError('no');`,
  ],
  [
    'in a function that it calls',
    `const it = { decode: (reply) => read(reply) }; const read = (reply) => { throw 1; };`,
    'throw 1;',
  ],
  [
    'in a method that it calls',
    `class It { decode = { decode: (reply) => this.#read(reply) }; #read(reply) { throw 1; } }`,
    'throw 1;',
  ],
  [
    'in a function of another file',
    `import { picky } from '${helper}'; const it = { decode: (reply) => picky(reply) };`,
    'picky',
  ],
  [
    'in a function of another file under another name',
    `import { picky as read } from '${helper}'; const it = { decode: (reply) => [reply].map(read) };`,
    'read',
  ],
  ['by JSON', `const it = { decode: (reply) => JSON.parse(reply) };`, 'JSON.parse'],
])('a decoder that throws %s is reported', (_, source, place) => {
  expect(reported(source)).toEqual([place]);
});

test.each([
  ['an unexpected reply', `const it = { decode(reply) { throw new UnexpectedReplyError('?'); } };`],
  [
    'an unexpected reply that a function makes',
    `const it = { decode(reply) { throw unexpected('?'); } };
     function unexpected(what) { return new UnexpectedReplyError(what); }`,
  ],
  [
    'what it catches',
    `const it = { decode(reply) { try { JSON.parse(reply); } catch { return 0; } } };`,
  ],
])('a decoder may throw %s', (_, source) => {
  expect(reported(source)).toEqual([]);
});

test('what is no decoder may throw, and a decoder may use what throws nothing', () => {
  expect(
    reported(
      `import { plain } from '${helper}';
       const it = { decode: (reply) => plain(reply), encode() { throw new Error('no'); } };`,
    ),
  ).toEqual([]);
});
