// @ts-check
// `prepublishOnly`: npm runs it before it publishes. The package is not published before its owner has
// filled in what a published package must name, and has taken `private` out of package.json.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/fresh.mjs';

const REQUIRED = ['repository', 'homepage', 'author'];

/** @returns {string[]} what keeps the package from being published */
function reasons() {
  const described = /** @type {{ private?: boolean } & Record<string, unknown>} */ (
    JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  );
  return [
    ...REQUIRED.filter((field) => described[field] === undefined).map(
      (field) => `"${field}" is missing`,
    ),
    ...(described.private === true ? ['"private" is true'] : []),
  ];
}

const found = reasons();
if (found.length > 0) {
  console.error(`redlatch is not ready to be published: in package.json ${found.join(', ')}`);
  process.exitCode = 1;
}
