// What a seed that failed tells: the property, and what happened around.

import { groupBy } from './intervals.js';
import type { History, Violation } from './history.js';

const BEFORE_MS = 350;
const AFTER_MS = 60;
const MOST_LINES = 50;
const MOST_VIOLATIONS = 6;

export function report(seed: number, history: History): string {
  const sorted = history.violations.toSorted((a, b) => a.at - b.at);
  // One of each property first.
  const firsts = sorted.filter(
    (one, i) => sorted.findIndex(({ property }) => property === one.property) === i,
  );
  const shown = firsts.slice(0, MOST_VIOLATIONS);
  const list = [...groupBy(sorted, ({ property }) => property)].flatMap(([property, all]) => [
    `  ${property}: ${all.length} times`,
    ...all.slice(0, 4).map(({ text }) => `    ${text}`),
  ]);
  return [
    `seed ${seed}: ${sorted.length} violations; REDLATCH_TEST_SEED=${seed} repeats its plan`,
    ...list,
    ...shown.flatMap((violation) => around(history, violation)),
  ].join('\n');
}

function around(history: History, { property, text, at, name }: Violation): string[] {
  const ms = (instant: number): string => (instant - history.startedAt).toFixed(1).padStart(8);
  const notes = history.notes
    .filter(
      (note) =>
        note.at > at - BEFORE_MS &&
        note.at < at + AFTER_MS &&
        (name === undefined || note.name === undefined || note.name === name),
    )
    .toSorted((a, b) => a.at - b.at)
    .slice(-MOST_LINES)
    .map((note) => `  ${ms(note.at)} ${note.who.padEnd(8)} ${note.text}`);
  return [
    '',
    `${property} (at ${ms(at).trim()} ms, ${name?.split(':').at(-1) ?? 'anywhere'})`,
    `  ${text}`,
    ...notes,
  ];
}
