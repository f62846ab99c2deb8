// The worst moment to lose a connection: the server has run the command, nobody was told.

import { describe, expect, test } from 'vitest';
import { whatDoes } from '../../scripts/lua/commands.mjs';
import * as compiled from '../../src/core/wire/scripts.generated.js';
import { countedCases } from './reply-cut-counts.js';
import { handedCases } from './reply-cut-handed.js';
import { fairCases } from './reply-cut-fair.js';
import { idleCases } from './reply-cut-idle.js';
import { lineCases } from './reply-cut-lines.js';
import { lockCases } from './reply-cut-locks.js';
import { permitNumberCases } from './reply-cut-permit-numbers.js';
import { permitCases } from './reply-cut-permits.js';
import { quorumCases } from './reply-cut-quorum.js';
import { readWriteCases } from './reply-cut-rwlock.js';
import { returnCases } from './reply-cut-return.js';
import { semaphoreCases } from './reply-cut-semaphore.js';
import { toldCases } from './reply-cut-told.js';
import { faultWorlds, type Case } from './world.js';

const open = faultWorlds('reply-cut');
const cases: Record<string, Case[]> = {};

for (const table of [
  lockCases,
  lineCases,
  fairCases,
  readWriteCases,
  quorumCases,
  semaphoreCases,
  returnCases,
  permitCases,
  permitNumberCases,
  toldCases,
  idleCases,
  countedCases,
  handedCases,
]) {
  for (const [script, those] of Object.entries(table)) {
    cases[script] = [...(cases[script] ?? []), ...those];
  }
}

/** A script changes something when it calls a command that does not read only. */
function changes(source: string): boolean {
  const calls = source.matchAll(/redis\.p?call\(\s*(?:'(?<name>\w+)')?/gu);
  return [...calls].some(
    ({ groups }) => whatDoes(groups?.['name']?.toUpperCase() ?? '') !== 'reads',
  );
}

test('every script that changes something has cases here', () => {
  const changing = Object.values(compiled).filter(({ source }) => changes(source));

  expect(Object.keys(cases).toSorted()).toEqual(changing.map(({ name }) => name).toSorted());
  expect(Object.values(cases).every((those) => those.length > 0)).toBe(true);
});

for (const [script, those] of Object.entries(cases)) {
  describe.concurrent(`the answer to ${script} is cut off`, () => {
    for (const { fact, run } of those) {
      test(fact, async (context) => {
        await run(await open(context));
      });
    }
  });
}
