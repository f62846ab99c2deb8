// @ts-check
// A document of the repository as a page of the site.
import { dirname, join, posix } from 'node:path';

/** Documents that are a page under another name. */
const MOVED = new Map([
  ['README.md', 'index.md'],
  ['CHANGELOG.md', 'changelog.md'],
  ['SECURITY.md', 'security.md'],
]);

/** For those who work on redlatch itself. @param {string} file */
export const isInternal = (file) => /^docs\/(?:adr|design)\//.test(file);

/**
 * Where a file of the repository is on the site; undefined where it is not there.
 * @param {string} file
 */
function placeOf(file) {
  const moved = MOVED.get(file);
  if (moved !== undefined) {
    return moved;
  }
  if (isInternal(file)) {
    return undefined;
  }
  const [, page] = /^docs\/(.+\.(?:md|svg))$/.exec(file) ?? [];
  const [, example] = /^examples\/([\w-]+)\.mjs$/.exec(file) ?? [];
  return page ?? (example === undefined ? undefined : `examples/${example}.md`);
}

/**
 * Its links lead to pages of the site. Where one led to a file that is not on it, as a test, its text stays
 * and says on hover which file that is.
 * @param {string} text
 * @param {string} file of the document, from the root of the repository
 */
export function pageOf(text, file) {
  const own = placeOf(file) ?? file;
  const code = /(```.*?```)/su;
  return text
    .split(code)
    .map((part) => (part.startsWith('```') ? part : part.replaceAll(LINK, linked(own, file))))
    .join('');
}

const LINK = /(!?)\[([^\]]+)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)/gu;

/**
 * @param {string} own
 * @param {string} file
 * @returns {(whole: string, image: string, label: string, target: string, hash?: string) => string}
 */
function linked(own, file) {
  return (_, image, label, target, hash = '') => {
    const wanted = posix.normalize(join(dirname(file), target));
    const place = placeOf(wanted);
    if (place === undefined) {
      return `<span title="${wanted}">${escape(label)}</span>`;
    }
    if (image !== '') {
      return `![${label}](/${place})`;
    }
    const path = posix.relative(dirname(own), place);
    return `[${label}](./${path}${hash})`;
  };
}

/** Markdown inside of a tag goes on, but not its angle brackets. @param {string} label */
const escape = (label) =>
  label
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>');
