// @ts-check
// Runs the cells of the matrix, one after the other.

import { execFileSync } from 'node:child_process';
import { installNode, NODE_RELEASES } from '../lib/nodes.mjs';
import { runVitest } from '../lib/vitest.mjs';
import { serverBinary } from '../redis/provider.mjs';
import { startProcess } from '../redis/process.mjs';
import { pairs, product } from './cells.mjs';
import { programOf, RELEASES } from './servers.mjs';

/**
 * @typedef {import('./report.mjs').Result} Result
 * @typedef {import('./report.mjs').Missing} Missing
 * @typedef {{ version: string, program: string | undefined }} Server `program`: none for the one that tests find
 *   by themselves
 * @typedef {{ release: string, program: string }} Node
 * @typedef {import('./cells.mjs').Cell<Server, Node, string>} Cell
 *
 * @typedef {object} Choice by parts of their names; without one, all of that kind
 * @property {boolean} [all] every combination, in the place of pairs
 * @property {boolean} [list] only says what would be run
 * @property {string[]} [suite]
 * @property {string[]} [server]
 * @property {string[]} [node]
 * @property {string[]} [driver]
 */

export const SUITES = ['contract', 'integration', 'faults'];

/** What REDLATCH_TEST_IOREDIS is for each. */
export const DRIVERS = new Map([
  ['ioredis 6', ''],
  ['ioredis 5', '5'],
  ['iovalkey', 'iovalkey'],
]);

const LIMIT_MS = 15 * 60_000;

const OWN = 'the server of this machine';

/**
 * @param {string} name
 * @param {readonly string[]} [wanted]
 */
const isChosen = (name, wanted = []) =>
  wanted.length === 0 || wanted.some((text) => name.includes(text));

/** @param {import('../redis/binary.mjs').Binary} binary */
async function versionOf(binary) {
  const server = await startProcess(binary);
  await server.stop();
  return server.version;
}

/**
 * Does it, and says what could not be had where it fails.
 *
 * @template T
 * @param {string} name
 * @param {Missing[]} missing
 * @param {() => Promise<T>} get
 * @returns {Promise<T | undefined>}
 */
async function had(name, missing, get) {
  try {
    return await get();
  } catch (error) {
    const [reason = ''] = String(error).split('\n');
    console.log(`matrix: ${name} is not to be had: ${reason}`);
    missing.push({ name, reason });
    return undefined;
  }
}

/**
 * @param {string} name
 * @param {string | undefined} own what the server of this machine is called
 * @returns {Promise<Server>}
 */
async function serverOf(name, own) {
  const release = RELEASES.find((each) => each.name === name);
  if (name === own || release === undefined) {
    return { version: name, program: undefined };
  }
  const program = await programOf(release);
  return { version: await versionOf({ path: program, env: {} }), program };
}

/**
 * @param {string} release
 * @returns {Promise<Node>}
 */
async function nodeOf(release) {
  const program = await installNode(release);
  // It may be there, and not run: the library of the system is too old.
  execFileSync(program, ['--version'], { stdio: 'pipe' });
  return { release, program };
}

/**
 * Gets each of them once, in their order.
 *
 * @template T
 * @param {string[]} names
 * @param {Missing[]} missing
 * @param {(name: string) => Promise<T>} get
 */
async function allHad(names, missing, get) {
  /** @type {Map<string, T>} */
  const found = new Map();
  for (const name of new Set(names)) {
    const value = await had(name, missing, async () => await get(name));
    if (value !== undefined) {
      found.set(name, value);
    }
  }
  return found;
}

/** The cells by name. @param {Choice} choice @param {string | undefined} own */
function namedCells({ all = false, server, node, driver }, own) {
  const releases = RELEASES.map(({ name }) => name);
  const names = own === undefined || releases.includes(own) ? releases : [...releases, own];
  const cells = (all ? product : pairs)(names, NODE_RELEASES, [...DRIVERS.keys()]);
  return cells.filter(
    (cell) =>
      isChosen(cell.server, server) && isChosen(cell.node, node) && isChosen(cell.driver, driver),
  );
}

/**
 * What fails among all others runs once more, alone: a difference of the server, the driver or Node.js shows again,
 * and a machine that is too busy does not. The table has both.
 *
 * @param {Cell} cell
 * @param {string[]} suites
 * @returns {Promise<Result>}
 */
async function runCell({ server, node, driver }, suites) {
  const env = {
    REDIS_PROVIDER: 'process',
    REDIS_SERVER_BIN: server.program ?? process.env['REDIS_SERVER_BIN'] ?? '',
    REDLATCH_TEST_IOREDIS: DRIVERS.get(driver) ?? '',
  };
  const options = { env, node: node.program, timeoutMs: LIMIT_MS, reporter: 'dot' };
  const folders = suites.map((suite) => `test/${suite}/`);
  const first = await runVitest(['--no-isolate', '--maxWorkers=4', ...folders], options);
  const { passed, skipped, failures } = first;
  const files = [...new Set(failures.map(({ file }) => file))];
  let { ms } = first;
  let failed = failures.length;
  // What fails outside of all files has no file to run again.
  if (files.length > 0 && !files.includes('')) {
    const second = await runVitest(['--maxWorkers=1', ...files], options);
    failed = second.failures.length;
    ms += second.ms;
  }
  const alone = Math.max(failures.length - failed, 0);
  const counts = { passed: passed + alone, alone, failed, skipped };
  return { server: server.version, node: node.release, driver, suites, ...counts, ms };
}

/**
 * @param {Result} result
 * @param {Cell} cell
 */
function isOf({ server, node, driver }, cell) {
  return server === cell.server.version && node === cell.node.release && driver === cell.driver;
}

/**
 * Runs what was chosen; `keep` gets all results after each cell.
 *
 * @param {Choice} choice
 * @param {Result[]} [before] results that stay
 * @param {(results: Result[]) => void} [keep]
 * @returns {Promise<import('./report.mjs').Outcome>}
 */
export async function runMatrix(choice, before = [], keep = () => {}) {
  /** @type {Missing[]} */
  const missing = [];
  const suites = SUITES.filter((suite) => isChosen(suite, choice.suite));
  const own = await had(OWN, missing, async () => await versionOf(await serverBinary()));
  const named = namedCells(choice, own);
  const servers = await allHad(
    named.map(({ server }) => server),
    missing,
    async (name) => await serverOf(name, own),
  );
  const nodes = await allHad(
    named.map(({ node }) => `Node.js ${node}`),
    missing,
    async (name) => await nodeOf(name.replace('Node.js ', '')),
  );
  const cells = named.flatMap((cell) => {
    const [server, node] = [servers.get(cell.server), nodes.get(`Node.js ${cell.node}`)];
    return server === undefined || node === undefined ? [] : [{ ...cell, server, node }];
  });
  let results = before;
  for (const [index, cell] of cells.entries()) {
    const same = results.filter((result) => isOf(result, cell));
    const isDone = same.some(
      (result) => result.failed === 0 && suites.every((suite) => result.suites.includes(suite)),
    );
    const title = `${cell.server.version}, Node.js ${cell.node.release}, ${cell.driver}`;
    console.log(`matrix ${index + 1} of ${cells.length}: ${title}${isDone ? ': as before' : ''}`);
    if (!isDone && choice.list !== true) {
      const result = await runCell(cell, suites);
      results = [...results.filter((other) => !same.includes(other)), result];
      keep(results);
    }
  }
  return { results, missing };
}
