// More calls under way than a function can take arguments, when their connection dies.

import { expect, test } from 'vitest';
import type { CommandConnection } from '../../src/core/connection/command-connection.js';
import type { Call } from '../../src/core/wire/call.js';
import { eventually } from '../support/eventually.js';
import { callOne, callRefused, linkTo } from '../support/link.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { redisUrl } from '../support/redis.js';

const CALLS = 130_000;

/** What this test waits for in the end. The others are given up, which saves seconds. */
const WANTED = 1_000;

interface Stage {
  readonly link: CommandConnection;
  readonly proxy: Proxy;
  /** What receivers and the owner of the link were told. */
  readonly told: string[];
  readonly send: (act?: Act, resend?: boolean) => Call<string>;
}

/** What a receiver, or the owner of the link, does when it is told something. */
type Act = () => void;

/** A link behind a proxy that has answered one call. */
async function stage(onDown: Act = () => {}): Promise<Stage> {
  const proxy = await startProxy({ target: redisUrl() });
  const told: string[] = [];
  const tell =
    (what: string, act: Act) =>
    (detail: unknown): void => {
      told.push(`${what} ${detail instanceof Error ? detail.message : String(detail)}`);
      act();
    };
  const fault = tell('fault', () => {});
  const link = linkTo(proxy.url, {
    down: () => {
      tell('down', onDown)('');
    },
    fault,
  });
  const send = (act: Act = () => {}, resend = true): Call<string> => {
    const receiver = { answered: tell('answered', act), failed: tell('failed', act) };
    const call = callOne(receiver, resend, fault);
    link.send(call);
    return call;
  };
  link.open();
  send();
  await eventually(() => told.length > 0);
  expect(told.splice(0)).toEqual(['answered 1']);
  return { link, proxy, told, send };
}

const fail = (message: string) => (): void => {
  throw new Error(message);
};

test('130,000 calls in flight, and as many behind them, outlive their connection', async () => {
  const { proxy, told, send } = await stage();

  // Calls that are sent again are not all written at once.
  const inFlight = Array.from({ length: CALLS }, () => send(() => {}, false));
  const calls = Array.from({ length: CALLS }, () => send());
  proxy.cutAll();
  await eventually(() => told.includes('down '), { withinMs: 20_000 });
  const unackedCopies = inFlight.reduce((sum, call) => sum + call.unackedCopies, 0);
  const failed = told.filter((what) => what.startsWith('failed ')).length;
  told.length = 0;
  for (const call of calls.slice(WANTED)) {
    call.abandon();
  }
  await eventually(() => told.length === WANTED, { withinMs: 20_000 });

  expect([unackedCopies, failed]).toEqual([CALLS, CALLS]);
  expect(told.filter((answer) => answer !== 'answered 1')).toEqual([]);
});

test('what is behind the calls in flight can go to another server with them', async () => {
  const { link, proxy, told, send } = await stage();
  proxy.pauseUpstream();

  const calls = Array.from({ length: 1_100 }, () => send());
  expect(calls.filter(({ isUnanswered }) => isUnanswered)).toHaveLength(1_000);
  proxy.refuse();
  proxy.cutAll();
  await eventually(() => told.includes('down '));

  expect(link.takeWaiting()).toHaveLength(calls.length);
});

test('refusals do not show that a server is fast', async () => {
  const { link, proxy, told, send } = await stage();
  const refused = { answered: () => {}, failed: () => told.push('refused') };
  for (let i = 0; i < 5_000; i += 1) {
    link.send(callRefused(refused));
  }
  await eventually(() => told.length === 5_000);
  proxy.pauseUpstream();

  const calls = Array.from({ length: 3_000 }, () => send());

  expect(new Set(told)).toEqual(new Set(['refused']));
  expect(calls.filter(({ isUnanswered }) => isUnanswered)).toHaveLength(1_000);
});

test('who throws at its answer keeps nobody from being answered, and it is told', async () => {
  const { told, send } = await stage();

  send();
  send(fail('mine'));
  send();
  await eventually(() => told.length === 4);

  expect(told).toEqual(['answered 1', 'answered 1', 'fault mine', 'answered 1']);
});

test('who throws at the end of a connection keeps nobody from being told', async () => {
  const { proxy, told, send } = await stage();
  proxy.pauseUpstream();

  send(fail('mine'), false);
  send(() => {}, false);
  send();
  proxy.cutAll();
  proxy.resumeUpstream();
  await eventually(() => told.includes('answered 1'));

  expect(told).toEqual([
    expect.stringMatching(/^failed /u),
    'fault mine',
    expect.stringMatching(/^failed /u),
    'down ',
    'answered 1',
  ]);
});

test('a connection is made anew though who is told of its end throws', async () => {
  const { proxy, told, send } = await stage(fail('mine'));

  proxy.cutAll();
  await eventually(() => told.length > 0);
  send();
  await eventually(() => told.includes('answered 1'));

  expect(told).toEqual(['down ', 'fault mine', 'answered 1']);
});

test('what was given up while others are told of the end is not sent again', async () => {
  const { proxy, told, send } = await stage();
  proxy.pauseUpstream();

  const resent = send();
  send(() => resent.abandon(), false);
  proxy.cutAll();
  proxy.resumeUpstream();
  send();
  await eventually(() => told.includes('answered 1'));
  send();
  await eventually(() => told.filter((each) => each === 'answered 1').length === 2);

  expect(told.filter((each) => each === 'answered 1')).toHaveLength(2);
  expect(proxy.requests().filter(([command = '']) => /^eval/iu.test(command))).toHaveLength(3);
});
