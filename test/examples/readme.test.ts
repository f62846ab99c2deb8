// The documents say what is there: quoted files are equal, links lead somewhere, and a link with
// the title of a test leads to the file of that test.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { withFigures } from '../../bench/lib/readme.mjs';
import { RELEASES, versionOf } from '../../scripts/works-with/releases.mjs';

const documents = [
  'README.md',
  'DESIGN.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];

/** A snippet as the README shows it: without the lines that all of them have. */
function shown(file: string): string {
  const text = readFileSync(`examples/snippets/${file}`, 'utf8');
  const [client, close] = [
    /^const client = createClient\(\);.*\n\n?/mu,
    /\n*^await client\.close\(\);\n$/mu,
  ];
  const lines = [/^import \{ createClient \} from 'redlatch';\n\n/mu, client];
  const body = lines.reduce((rest, line) => rest.replace(line, ''), text).replace(close, '\n');
  return body.replace(/^((?:\/\/.*\n)+)\n+/u, '$1');
}

test.each(readdirSync('examples/snippets'))(
  'the README shows %s without the lines that all snippets have',
  (file) => {
    const blocks = [...readFileSync('README.md', 'utf8').matchAll(/^```js\n(.*?)^```$/gmsu)];

    expect(blocks.map(([, code]) => code)).toContain(shown(file));
  },
);

test.each(readdirSync('recipes').filter((file) => /\.(?:mjs|ts)$/.test(file)))(
  'docs/recipes.md shows the recipe %s as it is',
  (file) => {
    const page = readFileSync('docs/recipes.md', 'utf8');
    const language = file.endsWith('.ts') ? 'typescript' : 'javascript';
    const text = readFileSync(`recipes/${file}`, 'utf8');

    expect(page).toContain(`\`\`\`${language}\n${text}\`\`\`\n`);
  },
);

test('docs/works-with.md names the releases that are run', () => {
  const page = readFileSync('docs/works-with.md', 'utf8');
  const named = [...page.matchAll(/^<!-- (\w+): .*-->\n\n.* (\S+):$/gmu)].map(
    ([, key, version]) => [key, version],
  );

  const names = Object.keys(RELEASES) as (keyof typeof RELEASES)[];
  expect(named).toEqual(names.map((name) => [name, versionOf(name)]));
});

test('the README is read in one go', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(250);
});

test('docs/design/files.md has a line for every file of src/core, and for no other', () => {
  const text = readFileSync('docs/design/files.md', 'utf8');
  const rooms = [
    ...text.matchAll(/^\*\*`(?<room>core[/a-z]*)`\*\*\n\n(?<lines>(?:-.*\n| .*\n)+)/gmu),
  ];
  const named = rooms.flatMap(({ groups }) =>
    [...(groups?.['lines'] ?? '').matchAll(/^- `(?<file>[\w.-]+)`/gmu)].map(
      (line) => `${groups?.['room'] ?? ''}/${line.groups?.['file'] ?? ''}.ts`,
    ),
  );
  const files = readdirSync('src/core', { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `core/${file}`);

  expect(named.toSorted()).toEqual(files.toSorted());
});

test('the picture of the README is small, and stands alone', () => {
  const picture = readFileSync('docs/timeline.svg', 'utf8');

  expect(picture.length).toBeLessThanOrEqual(60_000);
  expect(picture).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(picture).not.toMatch(/<script|(?:href|src)=|@import|url\((?!#)/i);
});

test('figures are quoted as the bench has written them', async () => {
  const [readme = '', ...pages] = ['README.md', 'docs/figures.md', 'docs/peers.md'].map((file) =>
    readFileSync(file, 'utf8'),
  );

  expect(readme).toBe(await withFigures(readme, pages));
});

test('DESIGN.md can be read in one go', () => {
  expect(readFileSync('DESIGN.md', 'utf8').split('\n').length).toBeLessThanOrEqual(200);
});

/** The headings of a page, as links name them. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, 'utf8').replaceAll(/^```.*?^```$/gmsu, '');
  const headings = text.matchAll(/^#+ (.+)$/gmu);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(documents)('%s', (document) => {
  const text = readFileSync(document, 'utf8');
  const links = [...text.matchAll(/\[(?<label>[^\]]+)\]\((?<target>[^)#]+)[^)]*\)/gu)]
    .map(({ groups }) => ({ label: groups?.['label'] ?? '', target: groups?.['target'] ?? '' }))
    .filter(({ target }) => !target.startsWith('http'))
    .map(({ label, target }) => ({ label, path: join(dirname(document), target) }));

  test('links to what is there', () => {
    expect(links.filter(({ path }) => !existsSync(path))).toEqual([]);
  });

  test('links to headings that are there', () => {
    const anchors = [...text.matchAll(/\]\((?<target>[^)#\s]*)#(?<anchor>[^)]+)\)/gu)]
      .map(({ groups }) => ({ target: groups?.['target'] ?? '', anchor: groups?.['anchor'] ?? '' }))
      .filter(({ target }) => !target.startsWith('http'));
    const missing = anchors.filter(({ target, anchor }) => {
      const page = target === '' ? document : join(dirname(document), target);
      return page.endsWith('.md') && !anchorsOf(page).includes(anchor);
    });

    expect(missing).toEqual([]);
  });

  test('has no line over 120 columns, links and tables aside', () => {
    const rest = text.replaceAll(/\[[^\]]*\]\([^)]*\)|^\|.*$/gmu, '');
    const lines = rest.split('\n');

    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  test('names tests by their titles', () => {
    // A sentence of five words or more is the title of a test; anything shorter describes the file.
    const named = links.filter(
      ({ label, path }) => path.startsWith('test/') && label.split(' ').length >= 5,
    );

    const untrue = named.filter(
      ({ label, path }) => existsSync(path) && !readFileSync(path, 'utf8').includes(label),
    );
    expect(untrue).toEqual([]);
  });
});
