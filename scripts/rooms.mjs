// @ts-check
// `npm run rooms`: imports in `src` point down, row by row, and never in a circle; and the picture of
// the rows in DESIGN.md is true.
//
//   node scripts/rooms.mjs [--write]
//
// --write  puts the picture into DESIGN.md

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { backEdges, cycles, picture, readGraph } from './lib/rooms.mjs';

const PICTURE = /(<!-- rooms -->\n+```text\n)([\s\S]*?)(\n```)/;

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { write: { type: 'boolean' } } });
const design = join(root, 'DESIGN.md');
const text = readFileSync(design, 'utf8');
const graph = readGraph(join(root, 'src'));
const wanted = picture(graph);
const faults = [...backEdges(graph), ...cycles(graph).map((circle) => `a circle: ${circle}`)];

if (!PICTURE.test(text)) {
  faults.push('DESIGN.md has no picture of the rooms behind <!-- rooms -->');
} else if (values.write === true) {
  writeFileSync(
    design,
    text.replace(PICTURE, (_, start, _old, end) => start + wanted + end),
  );
} else if (PICTURE.exec(text)?.[2] !== wanted) {
  faults.push('the picture of the rooms in DESIGN.md is old: run `npm run rooms -- --write`');
}

console.log(faults.length === 0 ? wanted : faults.join('\n'));
process.exitCode = faults.length === 0 ? 0 : 1;
