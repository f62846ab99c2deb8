// What the answers of servers mean, however their versions put them.

import { expect, test } from 'vitest';
import { isNotNow, isNoWrite } from '../../src/core/connection/server-errors.js';

/** Ways in which a refused command of a script reaches the client: Redis 7, and Redis 6.2 where the script did not
 * expect it, and where it did. */
const ways = [
  (text: string) => text,
  (text: string) =>
    `ERR Error running script (call to f_1): @user_script:3: @user_script: 3: -${text}`,
  (text: string) => `@user_script: 205: -${text}`,
];

test.each([
  "READONLY You can't write against a read only replica.",
  'LOADING Redis is loading the dataset in memory',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
])('nothing was run, and it may be later: %s', (text) => {
  for (const way of ways) {
    expect([way(text), isNotNow(new Error(way(text)))]).toEqual([way(text), true]);
    expect(isNoWrite(new Error(way(text)))).toBe(false);
  }
});

test.each([
  "OOM command not allowed when used memory > 'maxmemory'.",
  'MISCONF Errors writing to the AOF file: No space left on device',
  'NOREPLICAS Not enough good replicas to write.',
])('no writes are taken: %s', (text) => {
  for (const way of ways) {
    expect([way(text), isNoWrite(new Error(way(text)))]).toEqual([way(text), true]);
    expect(isNotNow(new Error(way(text)))).toBe(false);
  }
});

test('what a script says itself is no refusal, whatever word is in it', () => {
  expect(isNotNow(new Error('ERR unknown LOADING '))).toBe(false);
  expect(isNoWrite(new Error('WRONGTYPE OOM '))).toBe(false);
});
