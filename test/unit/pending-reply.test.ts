// A caller whose time is up.

import { describe, expect, test } from 'vitest';
import { LINGERS_MAX, PendingReply } from '../../src/core/delivery/pending-reply.js';
import { Call, TooLateError } from '../../src/core/wire/call.js';

const script = { name: 'any', sha1: '', source: '', decode: (reply: unknown) => reply };

const messageOf = ({ message }: Error): string => message;

const again = () => ({ script, operands: [] });

function stage({ isLate = true } = {}) {
  const told: unknown[] = [];
  let lingered = 0;
  const hooks = {
    serve: () => true,
    linger: () => {
      lingered += 1;
    },
    giveUp: () => told.push('given up'),
    finish: () => {},
    isLate: () => isLate,
    start: (): never => {
      told.push('started again');
      return undefined as never;
    },
  };
  const asked = new PendingReply<unknown>(
    hooks,
    'jobs',
    'release',
    ({ mayHaveRun }) => new Error(mayHaveRun ? 'unknown' : 'refused'),
    (answered) => told.push(answered instanceof Promise ? answered.catch(messageOf) : 'answered'),
  );
  const watch = { failed: () => {}, unheard: () => {} };
  const call = new Call({ script, operands: [] }, asked, true, watch);
  asked.call = call;
  return { asked, call, told: async () => await Promise.all(told), lingered: () => lingered };
}

test('waits a moment for the answer to a refused call that is on its way again', async () => {
  const { asked, call, told, lingered } = stage();
  call.refusal = new Error('TRYAGAIN');
  call.isUnanswered = true;

  asked.expired();
  expect([await told(), lingered()]).toEqual([[], 1]);
  call.isUnanswered = false;
  asked.expired();

  expect(await told()).toEqual(['refused', 'given up']);
});

test('is told that the outcome is unknown when that answer does not come', async () => {
  const { asked, call, told, lingered } = stage();
  call.refusal = new Error('TRYAGAIN');
  call.isUnanswered = true;

  for (let i = 0; i <= LINGERS_MAX; i += 1) {
    asked.expired();
  }

  expect([await told(), lingered()]).toEqual([['unknown', 'given up'], LINGERS_MAX]);
});

test.each([
  ['that was never refused', { isUnanswered: true }],
  ['of which a copy was lost', { isUnanswered: true, unackedCopies: 1, refusal: new Error('no') }],
])('waits no longer for a call %s', async (_, state) => {
  const { asked, call, told, lingered } = stage();
  Object.assign(call, state);

  asked.expired();

  expect([await told(), lingered()]).toEqual([['unknown', 'given up'], 0]);
});

describe('a call that the server got too late', () => {
  const late = new TooLateError('late');
  test('is made again under another number while its caller waits, twice at most', async () => {
    const { asked, call, told } = stage({ isLate: false });
    asked.terms = { again };
    asked.failed(late, call);
    asked.failed(late, call);
    expect(await told()).toEqual(['started again', 'started again']);
    asked.failed(late, call);

    expect(await told()).toEqual(['started again', 'started again', 'refused']);
  });

  test('is not while another copy may have run', async () => {
    const { asked, call, told } = stage({ isLate: false });
    asked.terms = { again };
    call.unackedCopies = 1;
    asked.failed(late, call);

    expect(await told()).toEqual(['unknown']);
  });

  test('is not when its time is up', async () => {
    const { asked, call, told } = stage({ isLate: true });
    asked.terms = { again };
    asked.failed(late, call);

    expect(await told()).toEqual(['refused']);
  });
});
