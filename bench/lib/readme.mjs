// @ts-check
// The table of figures in the README: the most asked for, from the pages that the bench has written.
import { readFileSync } from 'node:fs';
import { format } from 'oxfmt';

/** Figures of docs/figures.md and docs/peers.md, and what the README calls them. */
const QUOTED = new Map([
  ['lock: commands per acquire + release', 'commands for an acquire and a release'],
  ['lock: p50 latency', 'latency of both without contention ÷ bare driver'],
  ['lock: client CPU', 'client CPU of both ÷ bare driver'],
  ['100 locks at a time: ours by SET NX and script', '100 locks in flight ÷ `SET NX` and a script'],
  [
    'one lock, 4 x 25 waiters: direct by the Lua queue',
    'hand-overs with 25 waiters in each of 4 processes ÷ Lua queue: more is better',
  ],
  [
    'one lock, 4 x 1 waiters: direct by the Lua queue',
    'hand-overs with 1 waiter in each of 4 processes ÷ Lua queue: more is better',
  ],
  [
    'quiet hand-over between two processes, p50: direct by a message',
    'time of a hand-over on an idle system ÷ one Redis message',
  ],
  ['1,000 waiters: commands in 10 s', 'commands of 1,000 waiters for one lock in 10 s'],
  ['1,000 renewed holds: commands per round', 'commands to renew 1,000 held locks once'],
]);

const SETTINGS = new URL('../../.oxfmtrc.json', import.meta.url);
const [BEGIN, END] = ['<!-- figures: ', '<!-- /figures -->'];

/** What was measured, without the details behind it. @param {string} measured */
const short = (measured) => measured.replace(/[:;(].*$/su, '').trim();

/**
 * @param {string} readme
 * @param {readonly string[]} pages
 * @returns {Promise<string>} the README with the figures of these pages
 */
export async function withFigures(readme, pages) {
  const all = pages.flatMap((page) => [...page.matchAll(/^- (.+)\n {2}- (.+)$/gmu)]);
  const measured = new Map(all.map(([, figure = '', what = '']) => [figure, what]));
  const rows = [...QUOTED].map(([figure, name]) => {
    const what = measured.get(figure);
    if (what === undefined) {
      throw new Error(`no page has the figure "${figure}", which the README quotes`);
    }
    const [, target = ''] = /target (.+, (?:met|missed))$/u.exec(what) ?? [];
    return `| ${name} | ${short(what)} | ${target} |`;
  });
  const [from, to] = [readme.indexOf(BEGIN), readme.indexOf(END)];
  if (from < 0 || to < from) {
    throw new Error('the README has no place for figures');
  }
  const head = readme.slice(0, readme.indexOf('\n', from));
  const table = ['| figure | measured | target |', '| --- | --- | --- |', ...rows].join('\n');
  const text = `${head}\n\n${table}\n\n${readme.slice(to)}`;
  const options = /** @type {import('oxfmt').Oxfmtrc} */ (
    JSON.parse(readFileSync(SETTINGS, 'utf8'))
  );
  const { code, errors } = await format('README.md', text, options);
  if (errors.length > 0) {
    throw new Error(`the README cannot be formatted: ${errors[0]?.message}`);
  }
  return code;
}
