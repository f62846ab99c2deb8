// `node scripts/check-examples.mjs`, a static check of `npm test`, finds what does not compile.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runNode } from '../support/run-node.js';

/** Checks a document with these blocks, the first of which begins on line 4. */
async function check(...blocks: string[]): Promise<{ code: number | null; said: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'redlatch-types-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const document = join(folder, 'page.md');
  const fenced = blocks.map((block) => `\`\`\`js\n${block}\n\`\`\`\n`);
  await writeFile(document, `# Page\n\n${fenced.join('\n')}`);
  const { code, stdout } = await runNode(['scripts/check-examples.mjs', document]);
  return {
    code,
    said: stdout
      .replaceAll(/^.*page\.md/gm, 'page.md')
      .trimEnd()
      .split('\n'),
  };
}

const load = `import { createClient } from 'redlatch';`;

const right = [
  `${load}\nconst hold = await createClient().getFencedLock('a').acquire();\n` +
    `console.log(hold.fencingToken > 0n);\nawait hold.release();`,
  `await lock.using((hold) => work(hold.signal), { waitMs: 500 });`,
];
const wrong = [
  `${load}\ncreateClient().getLock('a').lock();`,
  `${load}\ncreateClient({ redsi: '' });`,
  `${load}\n(await createClient().getLock('a').tryAcquire()).release();`,
  `import { Latch } from 'redlatch';`,
  'await lock.using(() => {}, { leaseMs: "30 s" });',
];

test('what is wrong in a snippet or a fragment is found, and nothing else', async () => {
  const { code, said } = await check(...wrong, ...right);

  const faults = said.flatMap((line) => {
    const [, at, fault] = /^page\.md\((\d+),\d+\): error (TS\d+)/.exec(line) ?? [];
    return at === undefined ? [] : [`${at.padStart(2)} ${fault}`];
  });
  expect(faults.toSorted()).toEqual([
    ' 5 TS2339', // no such method
    '10 TS2353', // no such option
    '15 TS2531', // a hold that may be null
    '19 TS2305', // no such export
    '23 TS2769', // an option of another type, in a call that takes its arguments in two orders
  ]);
  expect(said.at(-1)).toBe('0 examples, 5 snippets, 2 fragments');
  expect(code).toBe(1);
});

test('a document without code proves nothing', async () => {
  expect(await check()).toEqual({ code: 1, said: ['0 examples, 0 snippets, 0 fragments'] });
});
