// @ts-check
// What docs/works-with.md says of programs that are not in the tests: their releases, and what holds there.

import { readFileSync, writeFileSync } from 'node:fs';

/** @typedef {{ title: string, key: string, lines: string[] }} Section */

/** @param {string} key */
const startOf = (key) => `<!-- ${key}: written by npm run test:works-with -- --page FILE -->`;
/** @param {string} key */
const endOf = (key) => `<!-- /${key} -->`;

/** @param {Section} section */
function textOf({ title, key, lines }) {
  const list = lines.map((line) => `- ${line}`).join('\n');
  return `${startOf(key)}\n\n${title}:\n\n${list}\n\n${endOf(key)}`;
}

/**
 * @param {string} file
 * @param {Section} section
 * @returns {boolean} whether the page says this
 */
export const says = (file, section) => readFileSync(file, 'utf8').includes(textOf(section));

/**
 * @param {string} file
 * @param {Section} section
 */
export function write(file, section) {
  const page = readFileSync(file, 'utf8');
  const [start, end] = [page.indexOf(startOf(section.key)), page.indexOf(endOf(section.key))];
  if (start === -1 || end === -1) {
    throw new Error(`${file} has no place for "${section.key}"`);
  }
  const rest = page.slice(end + endOf(section.key).length);
  writeFileSync(file, `${page.slice(0, start)}${textOf(section)}${rest}`);
}
