// What must hold when the answer to a counted command is cut off after the server has run it.

import { expect } from 'vitest';
import { OutcomeUnknownError } from '../../src/index.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import { expectCount } from '../support/count.js';
import { eventually } from '../support/eventually.js';
import { cutReply, keepUnderWay, rejection, runs, sendsCommands, type Case } from './world.js';

const trySetCount: Case[] = [
  {
    fact: 'a latch that was counted down meanwhile is not set again, and the answer is true',
    async run({ proxy, name, client, other }) {
      const latch = other.getCountDownLatch(name);
      const fault = cutReply(proxy, scripts.latchTrySetCount);

      const setting = client.getCountDownLatch(name).trySetCount(2);
      await fault.ran();
      await latch.countDown();
      await latch.countDown();
      await fault.replay();

      expect(await setting).toBe(true);
      await expectCount(latch, 0);
    },
  },
  {
    fact: 'a latch that was set before stays as it was, and the answer is false',
    async run({ proxy, name, client, other }) {
      const latch = other.getCountDownLatch(name);
      await latch.trySetCount(1);
      const fault = cutReply(proxy, scripts.latchTrySetCount);

      const setting = client.getCountDownLatch(name).trySetCount(7);
      await fault.ran();
      await latch.countDown();
      await fault.replay();

      expect(await setting).toBe(false);
      await expectCount(latch, 0);
    },
  },
];

const countDown: Case[] = [
  {
    fact: 'one call counts down by one',
    async run({ proxy, name, client, other }) {
      await other.getCountDownLatch(name).trySetCount(2);
      const fault = cutReply(proxy, scripts.latchCountDown);

      const counting = client.getCountDownLatch(name).countDown();
      await fault.ran();
      await fault.replay();
      await counting;

      await expectCount(other.getCountDownLatch(name), 1);
      await other.getCountDownLatch(name).delete();
    },
  },
  {
    fact: 'a call that reached zero leaves the latch that was set meanwhile alone',
    async run({ proxy, name, client, other }) {
      const latch = other.getCountDownLatch(name);
      await latch.trySetCount(1);
      const fault = cutReply(proxy, scripts.latchCountDown);

      const counting = client.getCountDownLatch(name).countDown();
      await fault.ran();
      await latch.trySetCount(3);
      await fault.replay();
      await counting;

      await expectCount(latch, 3);
      await latch.delete();
    },
  },
];

const deletion: Case[] = [
  {
    fact: 'a latch that was set again meanwhile stays, and the answer is true',
    async run({ proxy, name, client, other }) {
      const latch = other.getCountDownLatch(name);
      await latch.trySetCount(5);
      const fault = cutReply(proxy, scripts.latchDelete);

      const deleting = client.getCountDownLatch(name).delete();
      await fault.ran();
      await latch.trySetCount(2);
      await fault.replay();

      expect(await deleting).toBe(true);
      await expectCount(latch, 2);
      await latch.delete();
    },
  },
];

const cancel: Case[] = [
  {
    fact: 'a call that was given up before it ran never runs',
    async run({ proxy, name, open, other }) {
      const latch = open({ commandTimeoutMs: 300 }).getCountDownLatch(name);
      await latch.trySetCount(5);
      const call = keepUnderWay(proxy, scripts.latchCountDown);
      const copies = proxy.holdRequests(runs(scripts.latchCountDown));
      const fault = cutReply(proxy, scripts.requestsCancel);

      const { error } = await rejection(latch.countDown());
      proxy.cutAll(sendsCommands);
      await fault.ran();
      await fault.replay();
      await call.deliver();
      copies.release();
      await latch.countDown();

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      await expectCount(other.getCountDownLatch(name), 4);
      await latch.delete();
    },
  },
  {
    fact: 'a call that was given up after it ran counts once',
    async run({ proxy, name, open, other }) {
      const latch = open({ commandTimeoutMs: 300 }).getCountDownLatch(name);
      await latch.trySetCount(5);
      const answers = cutReply(proxy, scripts.latchCountDown);
      const fault = cutReply(proxy, scripts.requestsCancel);

      const failing = rejection(latch.countDown());
      await answers.ran();
      const { error } = await failing;
      proxy.cutAll(sendsCommands);
      await fault.ran();
      await fault.replay();
      await answers.replay();
      await latch.countDown();

      expect(error).toBeInstanceOf(OutcomeUnknownError);
      await eventually(async () => (await other.getCountDownLatch(name).count()) === 3);
      await latch.delete();
    },
  },
];

const trim: Case[] = [
  {
    fact: 'calls that were made meanwhile count, and keep their answers',
    async run({ proxy, name, client, other }) {
      const latch = client.getCountDownLatch(name);
      await latch.trySetCount(100);
      const fault = cutReply(proxy, scripts.requestsTrim);

      await Promise.all(Array.from({ length: 60 }, async () => await latch.countDown()));
      await fault.ran();
      const counting = latch.countDown();
      await fault.replay();
      await counting;
      await latch.countDown();

      await expectCount(other.getCountDownLatch(name), 38);
      await latch.delete();
    },
  },
];

export const countedCases: Readonly<Record<string, readonly Case[]>> = {
  'latch/try-set-count': trySetCount,
  'latch/count-down': countDown,
  'latch/delete': deletion,
  'requests/cancel': cancel,
  'requests/trim': trim,
};
