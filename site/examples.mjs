// @ts-check
// A page for each example: its code, and what it has printed when the site was built.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { limited } from './limited.mjs';
import { run } from '../scripts/lib/run.mjs';

/** They wait for most of their time. */
const AT_ONCE = 4;

/** A service, which goes on until it gets SIGTERM: when it has printed this. */
const UNTIL = new Map([['shutdown.mjs', 'at work']]);

/** The comment with which a file begins, without its slashes. @param {string} code */
function storyOf(code) {
  const lines = code.split('\n');
  const from = lines.findIndex((line) => line.startsWith('//'));
  const to = lines.findIndex((line, i) => i >= from && !line.startsWith('//'));
  return lines
    .slice(from, to)
    .map((line) => line.replace(/^\/\/ ?/, ''))
    .join('\n');
}

/** @param {string} name */
const titleOf = (name) => {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/**
 * @param {string} root
 * @param {string} url of a Redis
 * @param {string} file
 * @returns {Promise<{ name: string, text: string }>}
 */
async function pageOf(root, url, file) {
  const path = join('examples', file);
  const code = await readFile(join(root, path), 'utf8');
  const { code: exit, output } = await run(process.execPath, [path], {
    cwd: root,
    env: { REDIS_URL: url, NO_COLOR: '1' },
    timeoutMs: 60_000,
    until: UNTIL.get(file),
  });
  if (exit !== 0) {
    throw new Error(`the example ${file} has failed:\n${output}`);
  }
  const name = basename(file, '.mjs');
  const text = `# ${titleOf(name)}

${storyOf(code)}

\`\`\`js
${code.trimEnd()}
\`\`\`

It prints:

\`\`\`txt
${output.trimEnd()}
\`\`\`
`;
  return { name: `examples/${name}.md`, text };
}

/**
 * @param {string} root
 * @param {string} url of a Redis
 * @returns {Promise<{ name: string, text: string }[]>}
 */
export async function examplePages(root, url) {
  const folder = join(root, 'examples');
  const all = await readdir(folder, { recursive: true });
  // Not the program that has its other half in Java.
  const files = all.filter((file) => /^(?:snippets\/)?[\w-]+\.mjs$/.test(file)).toSorted();
  const inTurn = limited(AT_ONCE);
  const pages = await Promise.all(
    files.map((file) => inTurn(async () => await pageOf(root, url, file))),
  );
  const list = pages.map(({ name }) => {
    const base = name.replace(/^examples\/|\.md$/g, '');
    return `- [${titleOf(base)}](./${base}.md)`;
  });
  return [...pages, { name: 'examples/index.md', text: `# Examples\n\n${list.join('\n')}\n` }];
}
