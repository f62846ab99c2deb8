// The workflow for a public forge runs what the README promises, where package.json promises it.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const workflow = readFileSync('.github/workflows/ci.yml', 'utf8');
const readme = readFileSync('README.md', 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  engines: { node: string };
  scripts: Record<string, string>;
};

test('the workflow runs the two commands with which the README begins to try it', () => {
  const section = readme.slice(readme.indexOf('## Try it, test it'));
  const block = /```sh\n(?<lines>.*?)```/su.exec(section)?.groups?.['lines'] ?? '';
  const commands = block.split('\n').map((line) => line.replace(/\s*#.*/, ''));
  const run = [...workflow.matchAll(/^ +- run: (?<command>.+)$/gmu)].map(
    ({ groups }) => groups?.['command'] ?? '',
  );

  expect(run.toSorted()).toEqual(commands.slice(0, 2).toSorted());
  expect(run).toEqual(['npm test', 'npm run demo']);
  expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(['test', 'demo']));
});

test('the workflow runs on Node.js 20, 22 and 24, and on the oldest release that is supported', () => {
  const list = /^ +node: \[(?<versions>.+)\]$/mu.exec(workflow)?.groups?.['versions'] ?? '';
  const versions = list.split(', ').map((version) => version.replaceAll("'", ''));
  const oldest = manifest.engines.node.replace('>=', '');

  expect(versions).toContain(oldest);
  expect(versions.map((version) => version.split('.')[0])).toEqual(['20', '22', '24']);
});
