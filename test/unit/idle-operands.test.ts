// An idleMs is sent where one is declared, and nothing is sent in its place where none is.

import { expect, test } from 'vitest';
import type { EndpointServices } from '../../src/core/endpoint-services.js';
import { Statements } from '../../src/core/permits/statements.js';
import type { Command } from '../../src/core/wire/call.js';
import { singleId } from '../../src/expirable-semaphore/permit-ids.js';
import { ExpirableSemaphoreProtocol } from '../../src/expirable-semaphore/protocol.js';
import { SemaphoreProtocol } from '../../src/semaphore/protocol.js';

const services = {
  client: { id: '00112233-4455-4677-8899-aabbccddeeff' },
  router: { publish: 'PUBLISH', isCluster: false },
} as unknown as EndpointServices;

const request = { number: 7, lowWater: 3 };
const notice = ['PUBLISH', 'redisson_sc:{gate}'];
const id = '00'.repeat(16);
/** They may be run at any time, until they are written. */
const ANY = '0';
const claim = `${'\0'.repeat(16)}1`;

/** The operands of a command, without its keys. */
function argsOf({ operands }: Command<unknown>): string[] {
  const [count, ...rest] = operands.map((each) =>
    Buffer.isBuffer(each) ? each.toString('latin1') : String(each),
  );
  return rest.slice(Number(count));
}

test.each([
  [undefined, [], '0', '0'],
  [60_000, ['60000'], '60000', '-60000'],
] as const)('with an idleMs of %s', (idleMs, alone, declared, life) => {
  const setting = { count: 5, onMismatch: 'keep', idleMs } as const;
  const all = new Statements();
  const leased = new ExpirableSemaphoreProtocol(services, 'gate', 'gate', all, setting);
  const counting = new SemaphoreProtocol(services, 'gate', 'gate', all, setting);

  expect(argsOf(leased.release(singleId(id)))).toEqual([...notice, claim, ...alone]);
  expect(argsOf(leased.releaseAny(request, id))).toEqual([
    '7',
    '3',
    ...notice,
    claim,
    ANY,
    ...alone,
  ]);
  expect(argsOf(leased.trySet(request, 4, 0))).toEqual(['7', '3', '4', life, ...notice, ANY]);
  expect(argsOf(leased.trySet(request, 4, 9))).toEqual(['7', '3', '4', '9', ...notice, ANY]);
  expect(argsOf(leased.resize(request, 'to', 4)).slice(2)).toEqual([
    'to',
    '4',
    ...notice,
    declared,
    ANY,
  ]);
  expect(argsOf(counting.trySetPermits(request, 4, 0))).toEqual([
    '7',
    '3',
    ...notice,
    '4',
    life,
    ANY,
  ]);
  expect(argsOf(counting.drainPermits(request)).at(-2)).toBe(declared);
});
