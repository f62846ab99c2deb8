// @ts-check
// `npm run docs`: builds the documentation site into out/site. It needs no network once its packages are
// installed, which is done the first time.
//
//   node site/build.mjs [--without-demo]
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { run } from '../scripts/lib/run.mjs';
import { installIn } from '../scripts/lib/subproject.mjs';
import { startRedis } from '../scripts/redis/provider.mjs';
import { apiPages } from './api.mjs';
import { examplePages } from './examples.mjs';
import { isInternal, pageOf } from './pages.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = join(root, 'site');
/** What VitePress reads: pages that were made from the documents. Here its packages are found. */
const source = join(site, 'temp');
const target = join(root, 'out', 'site');

/**
 * @param {string} what told before
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options]
 */
async function step(what, program, args, options = {}) {
  console.log(`docs: ${what}`);
  const { code, output } = await run(program, args, { timeoutMs: 300_000, ...options });
  if (code !== 0) {
    throw new Error(`${what} failed:\n${output}`);
  }
  return output;
}

/** Makes a page of each document. */
async function documents() {
  const docs = join(root, 'docs');
  const files = await readdir(docs, { recursive: true });
  const names = files.filter((file) => file.endsWith('.md') && !isInternal(`docs/${file}`));
  for (const name of names) {
    const text = await readFile(join(docs, name), 'utf8');
    await writePage(name, pageOf(text, `docs/${name}`));
  }
  await writePage('index.md', pageOf(await readFile(join(root, 'README.md'), 'utf8'), 'README.md'));
  for (const name of ['CHANGELOG.md', 'SECURITY.md']) {
    await writePage(name.toLowerCase(), pageOf(await readFile(join(root, name), 'utf8'), name));
  }
  await mkdir(join(source, 'public'), { recursive: true });
  await cp(join(docs, 'timeline.svg'), join(source, 'public', 'timeline.svg'));
}

/** @param {string} name @param {string} text */
async function writePage(name, text) {
  const file = join(source, name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

const { values } = parseArgs({ options: { 'without-demo': { type: 'boolean', default: false } } });

/** Plays the demo, and shows its timeline in a page. @param {string} url of a Redis */
async function demo(url) {
  await step('playing the demo', process.execPath, ['demo/main.mjs'], {
    env: { REDIS_URL: url, NO_COLOR: '1' },
  });
  await cp(join(root, 'out', 'demo-timeline.html'), join(source, 'public', 'demo-timeline.html'));
  const frame = '<iframe src="./demo-timeline.html" title="Timeline of the demo"></iframe>';
  const told =
    'Drawn by `npm run demo` when this site was built: real processes, real accidents, one Redis.';
  await writePage(
    'demo.md',
    `---\naside: false\npageClass: wide\n---\n\n# The demo\n\n${told}\n\n${frame}\n`,
  );
}

async function main() {
  await installIn('site');
  await rm(source, { recursive: true, force: true });
  await rm(target, { recursive: true, force: true });
  await documents();
  const server = await startRedis({ purpose: 'demo' });
  try {
    console.log('docs: running the examples');
    const examples = await examplePages(root, server.url);
    await Promise.all(examples.map(async ({ name, text }) => await writePage(name, text)));
    if (values['without-demo']) {
      await writePage('demo.md', '# The demo\n\nIt was not played when this site was built.\n');
    } else {
      await demo(server.url);
    }
  } finally {
    await server.stop();
  }
  await apiPages({ root, site, source, step });
  await cp(join(site, '.vitepress'), join(source, '.vitepress'), { recursive: true });
  const vitepress = join(site, 'node_modules', 'vitepress', 'bin', 'vitepress.js');
  const args = [vitepress, 'build', source, '--outDir', target];
  await step('building the pages, and checking their links', process.execPath, args, { cwd: site });
  console.log(`docs: see ${relative(process.cwd(), join(target, 'index.html'))}`);
}

await main();
