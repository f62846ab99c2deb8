// A run as a person reads it: what users did and were told, what went wrong, what the server ran.

import type { Claim, History, Operation } from './history.js';
import type { Trace } from '../../src/testing/network/conditions.js';

/** One line of a story. */
interface Line {
  readonly at: number;
  readonly who: string;
  readonly text: string;
}

/** Collects what the server runs. */
export class Listener {
  readonly lines: Line[] = [];
  readonly #names = new Map<string, string>();

  readonly trace: Trace = (at, argv) => {
    const [command = '', text = '', count = '0', ...operands] = argv;
    const name = command.toUpperCase();
    if (name === 'PING' || text.startsWith('redlatch_self')) {
      return;
    }
    const isScript = name === 'EVAL' || name === 'EVALSHA';
    const args = isScript ? operands.slice(Number(count)) : argv.slice(1);
    const what = isScript ? this.#nameOf(name, text) : name;
    const shown = args.map((each) => shorten(each)).join(' ');
    this.lines.push({ at, who: 'server', text: `${what} ${shown}` });
  };

  #nameOf(name: string, text: string): string {
    if (name === 'EVAL') {
      return /^-- (\S+)/u.exec(text)?.[1] ?? 'a script';
    }
    return this.#names.get(text) ?? `script ${text.slice(0, 6)}`;
  }

  /** The scripts by their digests. */
  learn(scripts: Iterable<{ readonly sha1: string; readonly name: string }>): void {
    for (const { sha1, name } of scripts) {
      this.#names.set(sha1, name);
    }
  }
}

/** Client ids are long: their beginning tells them apart. */
function shorten(text: string): string {
  const short = text.replaceAll(/([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f-]{27}/gu, '$1');
  return /^[\u0020-\u007e]*$/u.test(short) ? short : Buffer.from(short, 'latin1').toString('hex');
}

function callText({ action, mode, kind, owner, amount, waits, waitMs }: Operation): string {
  const side = kind === 'rwlock' ? (mode === 'shared' ? ' to read' : ' to write') : '';
  const wait = waits ? (waitMs === undefined ? ', waits' : `, waits ${waitMs} ms`) : '';
  return `${action} ${amount}${side} for ${owner}${wait}`;
}

function answerText({ action, outcome, error, answer, token, owner }: Operation): string {
  const why = error === undefined ? '' : ` (${error})`;
  const what = answer === undefined ? '' : `, answer ${answer}`;
  return `${action} for ${owner}: ${outcome}${why}${what}${token === undefined ? '' : `, token ${token}`}`;
}

function claimLines({ client, owner, from, until, end, toldLostAt }: Claim): Line[] {
  const who = `client ${client}`;
  const lines = [{ at: from, who, text: `${owner} is told held` }];
  if (until !== Number.POSITIVE_INFINITY) {
    lines.push({ at: until, who, text: `${owner} is held no more: ${end}` });
  }
  if (toldLostAt !== undefined && toldLostAt !== until) {
    lines.push({ at: toldLostAt, who, text: `${owner} is told that it is lost` });
  }
  return lines;
}

/** The story of a history, line by line. */
export function storyOf(history: History, heard: readonly Line[] = []): string {
  const lines: Line[] = [
    ...heard,
    ...history.operations.map((each) => ({
      at: each.calledAt,
      who: `client ${each.client}`,
      text: callText(each),
    })),
    ...history.operations
      .filter(({ returnedAt }) => returnedAt !== Number.POSITIVE_INFINITY)
      .map((each) => ({
        at: each.returnedAt,
        who: `client ${each.client}`,
        text: answerText(each),
      })),
    ...history.claims.flatMap(claimLines),
    ...history.faults.map(({ from, detail, what }) => ({
      at: from,
      who: 'world',
      text: `${what}: ${detail}`,
    })),
    { at: history.healedAt, who: 'world', text: 'nothing is faulty any more' },
  ];
  return lines
    .filter(({ at }) => at <= history.endedAt)
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, who, text }) => `${at.toFixed(3).padStart(12)}  ${who.padEnd(8)}  ${text}`)
    .join('\n');
}
