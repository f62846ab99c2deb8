// @ts-check
// The little SVG and HTML that the timeline needs, as strings.

/** @param {unknown} text */
export const escape = (text) => String(text).replace(/[&<>"]/g, (c) => `&#${c.codePointAt(0)};`);

/** Two decimals are a hundredth of a pixel. @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);

/**
 * @param {string} name
 * @param {Record<string, string | number | undefined>} attributes
 * @param {string} [content]
 */
export function tag(name, attributes, content = '') {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? short(value) : escape(value)}"`);
  return content === ''
    ? `<${name}${written.join('')}/>`
    : `<${name}${written.join('')}>${content}</${name}>`;
}

/** A tooltip. @param {string} text */
export const title = (text) => tag('title', {}, escape(text));

/**
 * @param {string} kind class name
 * @param {number} x
 * @param {number} y baseline
 * @param {string} content
 * @param {'start' | 'middle' | 'end'} [anchor]
 */
export const text = (kind, x, y, content, anchor = 'start') =>
  tag('text', { class: kind, x, y, 'text-anchor': anchor }, escape(content));

/** @param {string} kind @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
export const line = (kind, x1, y1, x2, y2) => tag('line', { class: kind, x1, y1, x2, y2 });

/** @param {number} ms */
export const showMs = (ms) =>
  ms < 10 ? ms.toFixed(2) : ms < 100 ? ms.toFixed(1) : thousands(Math.round(ms));

/** 12345 -> 12 345, with a thin space. @param {number | bigint} value */
export const thousands = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, '\u2009');
