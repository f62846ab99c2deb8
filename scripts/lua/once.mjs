// @ts-check
// A counted script runs at most once for each request. One line in it says so, and names the key of
// its record and the argument that numbers the request. That line stands for the statements with
// which every counted script begins.

/**
 * @typedef {import('./header.mjs').Header} Header
 * @typedef {import('./header.mjs').Operand} Operand
 * @typedef {import('./header.mjs').Report} Report
 */

/** The argument that is filled in for each copy, when that is written. */
export const UNTIL_MS = 'untilMs';

const DIRECTIVE = '-- at most once: requests, number';
/** The same, of a request that is not to run after its caller has stopped waiting. */
const UNTIL = `${DIRECTIVE}, until_ms`;
const MEANT = /^\s*--\s*at most once\s*:/i;
const RECALL = 'lib/request_recall';
const LATE = 'lib/request_late';

/**
 * Puts the statements in the place of the directive, on the same line: the numbers of the lines
 * after it stay.
 * @param {string[]} lines  of the whole file, changed in place
 * @param {Header | null} header  null for a lib file
 * @param {Map<string, number>} includes  gains the function that the statements call
 * @param {Report} report
 */
export function expandOnce(lines, header, includes, report) {
  for (const [index, line] of lines.entries()) {
    if (!MEANT.test(line)) {
      continue;
    }
    const requests = indexOf(header?.KEYS, 'requests');
    const number = indexOf(header?.ARGV, 'number');
    const lowWater = indexOf(header?.ARGV, 'lowWater');
    const until = indexOf(header?.ARGV, UNTIL_MS);
    if (header === null) {
      report(index + 1, 'a lib function cannot run at most once: its script can');
    } else if (line !== DIRECTIVE && line !== UNTIL) {
      report(index + 1, `expected '${DIRECTIVE}' or '${UNTIL}', got '${line}'`);
    } else if ((line === UNTIL) !== until > 0 || (until > 0 && lowWater === 0)) {
      report(
        index + 1,
        `'${UNTIL}' stands in a script that declares ARGV 'low_water' and 'until_ms', and only there`,
      );
    } else if (requests === 0 || number === 0) {
      report(index + 1, `the header must declare KEYS 'requests' and ARGV 'number'`);
    } else if (!isFirst(lines, index)) {
      report(index + 1, `'${DIRECTIVE}' must stand between the header and the first statement`);
    } else {
      includes.set(RECALL, index + 1);
      let answer = 'request_recall(requests, number)';
      if (until > 0) {
        includes.set(LATE, index + 1);
        answer += ` or request_late(requests, number, ARGV[${lowWater}], ARGV[${until}])`;
      }
      lines[index] =
        `local requests, number = KEYS[${requests}], ARGV[${number}] ` +
        `do local answer = ${answer} if answer then return answer end end`;
    }
  }
}

/**
 * @param {Operand[] | undefined} operands
 * @param {string} name
 * @returns {number}  from 1, as Lua counts; 0 when there is none
 */
function indexOf(operands = [], name) {
  return operands.findIndex((operand) => operand.name === name && !operand.variadic) + 1;
}

/**
 * @param {string[]} lines
 * @param {number} index
 */
function isFirst(lines, index) {
  const before = lines.slice(0, index);
  return before.includes('') && before.every((line) => line === '' || line.startsWith('--'));
}
