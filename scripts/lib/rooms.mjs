// @ts-check
// The rooms of `src`, and whether its imports keep to them.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** The rooms, row by row. A file imports its own room and rows below; type imports count as well.
 * Two rooms in one row never import one another. `name/*` stands for the files in a folder itself. */
const ROWS = [
  ['testing/network'],
  ['testing/server'],
  ['testing/commands'],
  ['testing/keyspace'],
  ['testing/*'],
  ['*'],
  ['quorum'],
  ['guarantees', 'multi-lock'],
  ['lock', 'rwlock', 'semaphore', 'expirable-semaphore', 'latch'],
  ['client-options.ts'],
  ['core/locks', 'core/permits'],
  ['core/grant'],
  ['core/*'],
  ['core/waiting', 'core/replicas'],
  ['core/lease'],
  ['core/delivery'],
  ['core/connection'],
  ['core/wire'],
  ['core/observe'],
  ['core/base'],
  ['errors.ts', 'server-errors.ts', 'waiters-error.ts'],
  ['coordination-error.ts'],
];

/** @typedef {Map<string, string[]>} Graph each file with the files that it imports */

/**
 * @param {string} file
 * @param {string} source
 * @returns {string[]} whatever it imports, also for its types only
 */
function requestsOf(file, source) {
  const { program, module, errors } = parseSync(file, source);
  const [error] = errors;
  if (error !== undefined) {
    throw new Error(`${file}: ${error.message}`);
  }
  const requests = module.staticImports.map((each) => each.moduleRequest.value);
  for (const { entries } of module.staticExports) {
    requests.push(...entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []));
  }
  const add = (/** @type {{ source: unknown }} */ node) => {
    const { value } = /** @type {{ value?: unknown }} */ (node.source);
    requests.push(String(value));
  };
  new Visitor({ TSImportType: add, ImportExpression: add }).visit(program);
  return requests;
}

/**
 * @param {string} root the folder of the sources
 * @returns {Graph}
 */
export function readGraph(root) {
  const entries = readdirSync(root, { encoding: 'utf8', recursive: true });
  const files = entries.filter((entry) => entry.endsWith('.ts')).toSorted();
  return new Map(
    files.map((file) => {
      const requests = requestsOf(file, readFileSync(join(root, file), 'utf8'));
      const own = requests.filter((request) => request.startsWith('.'));
      const targets = own.map((request) =>
        normalize(join(dirname(file), request)).replace(/\.js$/, '.ts'),
      );
      return [file, [...new Set(targets)]];
    }),
  );
}

/**
 * @param {string} file
 * @returns {{ row: number, room: string }}
 */
function roomOf(file) {
  const folder = dirname(file);
  const room = [file, folder, folder === '.' ? '*' : `${folder}/*`].find((each) =>
    ROWS.some((row) => row.includes(each)),
  );
  if (room === undefined) {
    throw new Error(`${file} is in no room: scripts/lib/rooms.mjs lists them`);
  }
  return { row: ROWS.findIndex((rooms) => rooms.includes(room)), room };
}

/**
 * @param {Graph} graph
 * @returns {string[]} each import that does not point down
 */
export function backEdges(graph) {
  /** @type {string[]} */
  const found = [];
  for (const [file, targets] of graph) {
    const from = roomOf(file);
    for (const target of targets) {
      const to = roomOf(target);
      if (to.row < from.row) {
        found.push(`${file} imports ${target}, which stands above it`);
      } else if (to.row === from.row && to.room !== from.room) {
        found.push(`${file} imports ${target}: ${from.room} and ${to.room} stand side by side`);
      }
    }
  }
  return found;
}

/**
 * @param {Graph} graph
 * @returns {string[]} a circle of imports for each place where one closes
 */
export function cycles(graph) {
  /** @type {string[]} */
  const found = [];
  /** @type {Set<string>} */
  const done = new Set();
  const visit = (/** @type {string} */ file, /** @type {string[]} */ path) => {
    const start = path.indexOf(file);
    if (start >= 0) {
      found.push([...path.slice(start), file].join(' -> '));
    } else if (!done.has(file)) {
      for (const target of graph.get(file) ?? []) {
        visit(target, [...path, file]);
      }
      done.add(file);
    }
  };
  for (const file of graph.keys()) {
    visit(file, []);
  }
  return found;
}

/** A folder with the number of its files; those at the top, and a file that is a room, by their names.
 * @param {Graph} graph
 * @param {string} room */
function label(graph, room) {
  if (room.endsWith('.ts')) {
    return room.replace('.ts', '');
  }
  const files = [...graph.keys()].filter((file) => roomOf(file).room === room);
  const own = files.map((file) => file.replace(/^.*\//, '').replace('.ts', ''));
  return room === '*' ? own.join(', ') : `${room.replace('/*', '')} (${own.length})`;
}

/**
 * Three numbers in a row, or more, as the first and the last of them.
 * @param {number[]} numbers in their order
 */
function ranges(numbers) {
  /** @type {number[][]} */
  const rows = [];
  for (const number of numbers) {
    const row = rows.at(-1);
    if (row?.at(-1) === number - 1) {
      row.push(number);
    } else {
      rows.push([number]);
    }
  }
  return rows.map((row) => (row.length > 2 ? `${row[0]}-${row.at(-1)}` : row.join(' '))).join(' ');
}

/**
 * @param {Graph} graph
 * @returns {string} the rows from top to bottom, and for each which rows it imports
 */
export function picture(graph) {
  /** @type {Set<number>[]} */
  const used = ROWS.map(() => new Set());
  for (const [file, targets] of graph) {
    const { row } = roomOf(file);
    for (const target of targets) {
      used[row]?.add(roomOf(target).row);
    }
  }
  const cells = ROWS.map((rooms, row) => {
    const names = rooms.map((room) => label(graph, room));
    const below = [...(used[row] ?? [])].filter((each) => each !== row).toSorted((a, b) => a - b);
    return { names: names.join('  '), below: ranges(below.map((each) => each + 1)) };
  });
  const width = Math.max(...cells.map(({ names }) => names.length));
  const line = ({ names = '', below = '' }, /** @type {number} */ row) =>
    `${String(row + 1).padStart(2)}  ${names.padEnd(width)}  ${below && `imports ${below}`}`.trimEnd();
  return cells.map(line).join('\n');
}
