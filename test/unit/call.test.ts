import { describe, expect, test } from 'vitest';
import { Call, Refused } from '../../src/core/wire/call.js';

function stage(receive: () => void = () => {}) {
  const told: string[] = [];
  const script = {
    name: 'any',
    sha1: '',
    source: '',
    decode: (reply: unknown) => {
      if (reply === 'odd') {
        throw new Error('an odd reply');
      }
      return reply === 'no' ? new Refused(new Error('refused')) : String(reply);
    },
  };
  const receiver = {
    answered: (answer: string) => {
      told.push(`answered ${answer}`);
      receive();
    },
    failed: ({ message }: Error) => {
      told.push(`failed ${message}`);
      receive();
    },
  };
  const watch = {
    failed: ({ message }: Error) => told.push(`reported ${message}`),
    unheard: (publish: string, channel: string) => told.push(`unheard ${publish} ${channel}`),
  };
  const operands = [1, 'key', 'SPUBLISH', 'channel', 'SPUBLISH'];
  return { told, call: new Call({ script, operands }, receiver, true, watch) };
}

test.each([
  ['succeeds', 'answered 1'],
  ['fails', 'failed no'],
])('a call that %s first is settled by that alone', (how, first) => {
  const { call, told } = stage();
  const settle = [() => call.succeed('1'), () => call.fail(new Error('no'))];
  const order = how === 'succeeds' ? settle : settle.toReversed();

  for (const each of [...order, ...order]) {
    each();
  }

  expect(told).toEqual([first]);
});

test('a call that was given up tells nobody', () => {
  const { call, told } = stage();
  call.abandon();

  call.succeed('1');
  call.fail(new Error('no'));

  expect(told).toEqual([]);
});

test('a reply that cannot be read fails the call, once', () => {
  const { call, told } = stage();

  call.succeed('odd');
  call.succeed('1');

  expect(told).toEqual(['failed an odd reply']);
});

test('a refusal fails the call, and leaves no copy of it that could do anything', () => {
  const { call, told } = stage();
  call.unackedCopies = 2;

  call.succeed('no');
  call.succeed('1');

  expect(told).toEqual(['failed refused']);
  expect(call.unackedCopies).toBe(0);
});

test('a reply beside refused messages is an answer all the same, and each refusal is told', () => {
  const { call, told } = stage();

  call.succeed(['1', 'PUBLISH', 'a', 'SPUBLISH', 'b']);

  expect(told).toEqual(['unheard PUBLISH a', 'unheard SPUBLISH b', 'answered 1']);
});

test.each([
  ['answered 1', (call: Call<string>) => call.succeed('1')],
  ['failed no', (call: Call<string>) => call.fail(new Error('no'))],
])(
  'a receiver that throws when it is told "%s" is reported, and told nothing more',
  (what, settle) => {
    const { call, told } = stage(() => {
      throw new Error('mine');
    });

    settle(call);
    settle(call);

    expect(told).toEqual([what, 'reported mine']);
  },
);

test('the publishing command is corrected among the arguments, wherever it stands', () => {
  const { call } = stage();
  call.operands = [1, 'SPUBLISH', 'SPUBLISH', 'channel', 'SPUBLISH'];

  call.publishWith('PUBLISH');

  expect(call.operands).toEqual([1, 'SPUBLISH', 'PUBLISH', 'channel', 'PUBLISH']);
});

test('it is sent once a copy was written, at whatever instant', () => {
  const { call } = stage();
  expect(call.sent).toBe(false);

  call.sentAt = 0;

  expect([call.sent, call.routingKey]).toEqual([true, 'key']);
});

describe('a call that undoes an ask', () => {
  const [connection, other] = [{}, {}];

  function undoing() {
    const { call: ask } = stage();
    const { call } = stage();
    call.undoes = { ask, operands: [1, 'key', 'light'] };
    ask.writtenTo = connection;
    ask.isUnanswered = true;
    ask.abandon();
    return { ask, call };
  }

  test('rules nothing out behind the only copy, on its connection', () => {
    const { call } = undoing();

    expect(call.operandsOn(connection)).toEqual([1, 'key', 'light']);
  });

  test('rules nothing out when the ask was answered', () => {
    const { ask, call } = undoing();
    ask.isUnanswered = false;

    expect(call.operandsOn(other)).toEqual([1, 'key', 'light']);
  });

  test.each<[string, (both: ReturnType<typeof undoing>) => object]>([
    ['on another connection', () => other],
    [
      'behind a copy that was lost',
      ({ ask }) => {
        ask.unackedCopies = 1;
        return connection;
      },
    ],
    [
      'when it is sent again itself',
      ({ call }) => {
        call.unackedCopies = 1;
        return connection;
      },
    ],
  ])('rules later copies out %s', (_, change) => {
    const both = undoing();

    const written = both.call.operandsOn(change(both));

    expect(written).toEqual(both.call.operands);
  });

  test('publishes with the right command in either form', () => {
    const { call } = undoing();
    call.undoes = { ...call.undoes!, operands: [1, 'key', 'SPUBLISH'] };

    call.publishWith('PUBLISH');

    expect(call.operandsOn(connection)).toEqual([1, 'key', 'PUBLISH']);
  });
});
