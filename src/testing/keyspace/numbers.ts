// How Redis reads and prints numbers. Integers are of 64 bits there; here they are doubles where that
// is exact, else BigInt.

import { NOT_A_FLOAT, NOT_AN_INTEGER, Refusal } from './reply.js';

export const INT64_MAX: bigint = 2n ** 63n - 1n;
export const INT64_MIN: bigint = -(2n ** 63n);

const BOUNDS_NOT_FLOATS = new Refusal('ERR min or max is not a float');

/** A number whose text is the only one that Redis takes for it: no sign, zero or space before it. */
function safeInteger(text: string): number | undefined {
  const value = Number(text);
  return Number.isSafeInteger(value) && String(value) === text ? value : undefined;
}

/**
 * An integer of 64 bits, as a number where that is exact.
 *
 * @throws Refusal when the text is none
 */
export function int64(text: string): number | bigint {
  const value = safeInteger(text);
  if (value !== undefined) {
    return value;
  }
  if (!/^-?[1-9]\d{15,18}$/.test(text)) {
    throw NOT_AN_INTEGER;
  }
  const large = BigInt(text);
  if (large < INT64_MIN || large > INT64_MAX) {
    throw NOT_AN_INTEGER;
  }
  return large;
}

/**
 * An integer for a place where only its size matters: an index, a count. Beyond 2^53 it is rounded.
 *
 * @throws Refusal when the text is none
 */
export function integer(text: string): number {
  return Number(int64(text));
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const HEXADECIMAL = /^([+-]?)0x(?:([\da-f]+)\.?([\da-f]*)|\.([\da-f]+))(?:p([+-]?\d+))?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** A text that is a number for C as a whole; NaN for every other text. */
function double(text: string): number {
  if (DECIMAL.test(text)) {
    return Number(text);
  }
  const infinite = INFINITE.exec(text);
  if (infinite !== null) {
    return infinite[1] === '-' ? -Infinity : Infinity;
  }
  const hexadecimal = HEXADECIMAL.exec(text);
  if (hexadecimal === null) {
    return Number.NaN;
  }
  const [, sign, whole = '', fraction = hexadecimal[4] ?? '', , exponent = '0'] = hexadecimal;
  const digits = Number(`0x${whole}${fraction}`);
  const value = digits * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

/** Whether the text has a digit other than 0 before its exponent. */
function hasSignificantDigit(text: string): boolean {
  const hexadecimal = /^[+-]?0x/i.test(text);
  return hexadecimal ? /^[+-]?0x[0.]*[1-9a-f]/i.test(text) : /^[+-]?[0.]*[1-9]/.test(text);
}

/**
 * A score, or what is added to one.
 *
 * @throws Refusal when the text is no number, or one too large or too small for a double
 */
export function score(text: string): number {
  const value = safeInteger(text);
  if (value !== undefined) {
    return value;
  }
  const read = double(text);
  const overflows = Math.abs(read) === Infinity && !INFINITE.test(text);
  const underflows = read === 0 && hasSignificantDigit(text);
  if (Number.isNaN(read) || overflows || underflows) {
    throw NOT_A_FLOAT;
  }
  return read;
}

/** One end of a range of scores. */
export interface Bound {
  readonly score: number;
  readonly isExclusive: boolean;
}

const LOWEST: Bound = { score: -Infinity, isExclusive: false };
const HIGHEST: Bound = { score: Infinity, isExclusive: false };

/**
 * One end of a range of scores: `5`, `(5`, `-inf`.
 *
 * Redis hands the text to C as it is. So it ends at a zero byte, may begin with spaces, and is 0 when
 * it is empty.
 *
 * @throws Refusal when the text is none
 */
export function bound(text: string): Bound {
  if (text === '-inf') {
    return LOWEST;
  }
  if (text === '+inf') {
    return HIGHEST;
  }
  const isExclusive = text.startsWith('(');
  const digits = isExclusive ? text.slice(1) : text;
  const value = safeInteger(digits);
  if (value !== undefined) {
    return { score: value, isExclusive };
  }
  const [seen = ''] = digits.split('\0', 1);
  const read = seen === '' ? 0 : double(seen.replace(/^[ \t-\r]+/, ''));
  if (Number.isNaN(read)) {
    throw BOUNDS_NOT_FLOATS;
  }
  return { score: read, isExclusive };
}

/** So many more digits show whether what is left of a double is exactly a half. */
const MORE_DIGITS = 60;

/** Rounds a half to the even digit, as C does; JavaScript rounds it up. */
function toEven(print: (moreDigits: number) => string): string {
  const longer = print(1);
  const isHalf = longer.endsWith('5') && withoutZeros(print(MORE_DIGITS)) === longer;
  const shorter = longer.slice(0, -1).replace(/\.$/u, '');
  return isHalf && /[02468]$/u.test(shorter) ? shorter : print(0);
}

/** Prints a score with up to 17 digits, as C does for `%.17g`. */
export function printScore(value: number): string {
  if (Number.isSafeInteger(value)) {
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (!Number.isFinite(value)) {
    return value > 0 ? 'inf' : '-inf';
  }
  const [, power = ''] = value.toExponential(16).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 17) {
    // All digits of the 17: those behind the point are as many as are left.
    const digits = 16 - exponent;
    return withoutZeros(toEven((more) => value.toFixed(digits + more)));
  }
  const mantissa = toEven((more) => value.toExponential(16 + more).replace(/e.*/u, ''));
  const sign = exponent < 0 ? '-' : '+';
  return `${withoutZeros(mantissa)}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Takes the zeros at the end of a fraction away. */
function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
