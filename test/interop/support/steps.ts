// What both sides do to one object, in the order in which the server runs it.

import { expect } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { onlyAsks } from '../../support/scripts.js';
import type { Monitor, Seen } from './monitor.js';

/**
 * A side and what it does: `java listens` subscribes, `java asks` tries without success (of a latch:
 * reads the count), `java enters` is granted, `java tells 0` frees and publishes that, `java leaves`
 * while others stay. Calls that the server did not run, renewals, questions about leases and
 * unsubscribing are left out.
 */
type Step = string;

export interface Steps {
  /** The steps since the last call. */
  take(): Promise<Step[]>;
  /** Waits until exactly these steps were made, and no others, since those taken last. */
  expect(steps: readonly Step[]): Promise<void>;
}

/**
 * Reads along until the end of the test file.
 *
 * @param monitor nobody else asks it for news
 * @returns starts to note the steps of the object with a name
 */
export function stepReader(monitor: Monitor): (name: string) => Steps {
  const calls: Call[] = [];
  let reading: Promise<unknown> = Promise.resolve();
  const read = async (): Promise<void> => {
    // One after the other: each reads up to a mark of its own.
    const next = reading.then(async () => calls.push(...grouped(await monitor.news())));
    reading = next.catch(() => undefined);
    await next;
  };
  return (name) => {
    let taken = calls.length;
    const news = async (): Promise<{ steps: Step[]; end: number }> => {
      await read();
      const steps = calls.slice(taken).flatMap((call) => stepOf(call, name) ?? []);
      return { steps, end: calls.length };
    };
    return {
      async take() {
        const { steps, end } = await news();
        taken = end;
        return steps;
      },
      async expect(expected) {
        await eventually(
          async () => {
            const { steps, end } = await news();
            expect(steps).toEqual(expected);
            taken = end;
          },
          { withinMs: 10_000 },
        );
      },
    };
  };
}

export interface Call {
  readonly who: Seen['who'];
  readonly command: readonly string[];
  /** What a script has run. */
  readonly inner: (readonly string[])[];
}

export function grouped(seen: readonly Seen[]): Call[] {
  const calls: Call[] = [];
  for (const { who, command, inScript } of seen) {
    if (inScript) {
      calls.at(-1)?.inner.push(command);
    } else {
      calls.push({ who, command, inner: [] });
    }
  }
  return calls;
}

function stepOf({ who, command, inner }: Call, name: string): Step | undefined {
  if (!command.some((word) => isAbout(word, name))) {
    return undefined;
  }
  const [verb = ''] = command;
  if (/^s?subscribe$/.test(verb)) {
    return `${who} listens`;
  }
  if (who === 'java' && verb === 'get' && command[1] === name) {
    return 'java asks';
  }
  if (onlyAsks(command.map(unescaped))) {
    return undefined;
  }
  // A script of which the server knows no digest has run nothing.
  return verb.startsWith('eval') && inner.length > 0 ? scripted(who, inner, name) : undefined;
}

const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\u0007',
  b: '\b',
};

/** The server shows a byte that cannot be printed as an escape of several characters. */
function unescaped(word: string): string {
  return word.replaceAll(/\\(?:x([\da-f]{2})|(.))/g, (_, code?: string, letter: string = '') =>
    code === undefined ? (ESCAPED[letter] ?? letter) : String.fromCodePoint(parseInt(code, 16)),
  );
}

function isAbout(word: string, name: string): boolean {
  return word === name || word.includes(`{${name}}`);
}

function scripted(
  who: Seen['who'],
  inner: readonly (readonly string[])[],
  name: string,
): Step | undefined {
  const toObject = inner.filter(([, key]) => key === name);
  const told = inner.find(([verb = '']) => /^s?publish$/.test(verb));
  const acts = [
    ...(toObject.some(takes) ? ['enters'] : []),
    ...(told === undefined ? [] : [`tells ${told[2]}`]),
  ];
  if (acts.length > 0) {
    return `${who} ${acts.join(' and ')}`;
  }
  const verbs = toObject.map(([verb]) => verb);
  if (verbs.includes('hdel') || verbs.includes('del')) {
    return `${who} leaves`;
  }
  return verbs.includes('pexpire') ? undefined : `${who} asks`;
}

/**
 * Writes a holder, or takes permits. A release of ours that hands all it returns to a waiter of its
 * own client adds nothing.
 */
function takes([verb = '', , first = '', second = '']: readonly string[]): boolean {
  return (
    verb === 'hset' ||
    verb === 'decrby' ||
    (verb === 'incrby' && first === '0') ||
    (verb === 'hincrby' && !second.startsWith('-'))
  );
}
