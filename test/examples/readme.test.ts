// The documents say what is there: quoted files are equal, links lead somewhere, and a link with
// the title of a test leads to the file of that test.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

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

interface Quote {
  readonly file: string;
  readonly code: string;
}

/** Fenced blocks whose first line is a comment with the name of a file. */
function quotes(text: string): Quote[] {
  const blocks = text.matchAll(/^```js\n\/\/ (?<file>[\w./-]+\.mjs)\n\n(?<code>.*?)^```$/gmsu);
  return [...blocks].map(({ groups }) => ({
    file: groups?.['file'] ?? '',
    code: groups?.['code'] ?? '',
  }));
}

const inReadme = quotes(readFileSync('README.md', 'utf8'));

test.each(inReadme)('the README quotes $file as it is', ({ file, code }) => {
  expect(code).toBe(readFileSync(file, 'utf8'));
});

test('the README quotes every snippet', () => {
  const snippets = readdirSync('examples/snippets').map((file) => `examples/snippets/${file}`);

  expect(inReadme.map(({ file }) => file).toSorted()).toEqual(snippets.toSorted());
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

/** A figure in a list, and what was measured. */
function figuresIn(text: string): string[] {
  return [...text.matchAll(/^- .+\n {2}- .+$/gmu)].map(([figure]) => figure);
}

test('figures are quoted as the bench has written them', () => {
  const readme = readFileSync('README.md', 'utf8');
  const section = readme.slice(readme.indexOf('## Figures'), readme.indexOf('## Try it'));
  const quoted = figuresIn(section);
  const written = figuresIn(readFileSync('docs/figures.md', 'utf8'));

  expect(quoted.length).toBeGreaterThan(0);
  expect(quoted.filter((figure) => !written.includes(figure))).toEqual([]);
});

test('DESIGN.md can be read in one go', () => {
  expect(readFileSync('DESIGN.md', 'utf8').split('\n').length).toBeLessThanOrEqual(200);
});

describe.each(documents)('%s', (document) => {
  const text = readFileSync(document, 'utf8');
  const links = [...text.matchAll(/\[(?<label>[^\]]+)\]\((?<target>[^)#]+)[^)]*\)/gu)]
    .map(({ groups }) => ({ label: groups?.['label'] ?? '', target: groups?.['target'] ?? '' }))
    .filter(({ target }) => !target.startsWith('http'))
    .map(({ label, target }) => ({ label, path: join(dirname(document), target) }));

  test('links to what is there', () => {
    expect(links.filter(({ path }) => !existsSync(path))).toEqual([]);
  });

  test('has no line over 120 columns, links aside', () => {
    const lines = text.replaceAll(/\[[^\]]*\]\([^)]*\)/gu, '').split('\n');

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
