// What goes wrong while a connection is replaced, or signs in again.

import { describe, expect, test } from 'vitest';
import { ClosedError } from '../../src/index.js';
import { rejection } from '../contract/fixture.js';
import { eventually } from '../support/eventually.js';
import { startProxy } from '../support/proxy.js';
import { randomName } from '../support/redis.js';
import { toldOf } from '../support/told.js';
import { eachWithPassword, Source } from './credential-source.js';
import {
  expectEnds,
  isAuth,
  isPing,
  isSubscribe,
  isWait,
  lasting,
  opened,
  operator,
  server,
  waitingStage,
} from './credential-stage.js';
import { openClient } from './exercise.js';

eachWithPassword(operator, 'first');

/** As the driver reports it, by what it has noticed first. */
const CUT = /^(?:read ECONNRESET|the connection was closed)$/u;

describe('a replacement in trouble:', () => {
  test('the one before is cut meanwhile: it is made anew, and nothing else is', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, first, told } = stage;
    const held = proxy.holdRequests((command, from) => isSubscribe(command) && from !== first);
    await eventually(() => held.held.length === 1);

    first.cut();
    // Otherwise the successor may take over before the end of this one is noticed, and there is no trouble.
    await eventually(() => told.length > 0);
    held.release();
    await eventually(async () => {
      expect(opened(proxy, true).length).toBe(1);
      expect(await toldOf(stage.name, operator)).toBeGreaterThan(0);
    });

    expect(told).toEqual([expect.stringMatching(CUT)]);
    told.length = 0;
    await expectEnds(stage, 1_000);
  });

  test('the successor is cut meanwhile: another one is made', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, first, told } = stage;
    const held = proxy.holdRequests((command, from) => isSubscribe(command) && from !== first);
    await eventually(() => held.held.length === 1);

    opened(proxy, true)
      .find((each) => each !== first)
      ?.cut();
    await eventually(() => held.held.length === 2);
    expect(first.isOpen).toBe(true);
    held.release();
    await eventually(() => !first.isOpen);

    expect(told).toEqual([expect.stringMatching(CUT)]);
    told.length = 0;
    await expectEnds(stage, 1_000);
  });

  test('the successor is not confirmed: another one is made', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, first, told } = stage;
    const held = proxy.holdRequests((command, from) => isSubscribe(command) && from !== first);

    await eventually(() => told.length > 0);
    held.release();
    await eventually(() => !first.isOpen);

    expect(told).toEqual(['the channels of a new connection were not confirmed within 2000 ms']);
    told.length = 0;
    await expectEnds(stage, 1_000);
  });

  test('the credentials of the successor run out meanwhile: no other one is made, and none is left', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, client, first, source, told } = stage;
    source.give = lasting(1_000);
    const held = proxy.holdRequests((command, from) => isSubscribe(command) && from !== first);

    // It is given up a second after they have run out.
    await eventually(() => told.length > 0);
    expect(opened(proxy, true).length).toBeLessThan(3);
    held.release();
    await eventually(() => !first.isOpen);
    const [second] = opened(proxy, true);
    await eventually(() => second?.isOpen === false);

    told.length = 0;
    await expectEnds(stage, 1_000);
    await client.close();
    await eventually(() => proxy.connections().length === 0, { withinMs: 500 });
  });

  test('the client is closed while the one before is silent: that is closed, too', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, client, first } = stage;
    const held = proxy.holdRequests((command, from) => isPing(command) && from === first);
    await eventually(() => held.held.length > 0);

    const ended = rejection(stage.waiting);
    await client.close();
    await eventually(() => !first.isOpen, { withinMs: 500 });

    expect(await ended).toBeInstanceOf(ClosedError);
    held.release();
    await stage.hold.release();
  });

  test('the one before falls silent: all that it may not have brought is asked for', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, first } = stage;
    const held = proxy.holdRequests((command, from) => isSubscribe(command) && from !== first);
    await eventually(() => held.held.length === 1);
    proxy.halfOpen((each) => each === first);

    const releasedAt = performance.now();
    await stage.hold.release();
    held.release();
    const next = await stage.waiting;

    expect(performance.now() - releasedAt).toBeLessThan(3_000);
    await eventually(() => !first.isOpen);
    expect(stage.told).toEqual([]);
    await next.release();
  });

  test('what the one before has heard and not brought yet is waited for', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, first } = stage;
    const held = proxy.holdRequests((command, from) => isSubscribe(command) && from !== first);
    await eventually(() => held.held.length === 1);
    first.down.stop('paused');

    // The successor does not hear of it.
    await stage.hold.release();
    held.release();
    await eventually(() => first.commands.some(isPing));
    first.down.go('paused');
    const releasedAt = performance.now();
    const next = await stage.waiting;

    expect(performance.now() - releasedAt).toBeLessThan(700);
    expect(stage.told).toEqual([]);
    await next.release();
    await eventually(() => !first.isOpen);
  });

  test('both of them hear what is published meanwhile', async () => {
    const stage = await waitingStage(1_000);
    const { proxy, first } = stage;
    const held = proxy.holdRequests((command, from) => isPing(command) && from === first);
    await eventually(() => held.held.length > 0);

    await expectEnds(stage, 900);
    held.release();
    await eventually(() => !first.isOpen);
  });
});

describe('signing in again fails:', () => {
  test('the function rejects: that is told, the connection stays, and it is asked again', async () => {
    const proxy = await startProxy({ target: server.url });
    const source = new Source('first');
    source.give = lasting(1_000);
    const client = openClient({ redis: proxy.url, credentials: source.ask });
    const errors: string[] = [];
    client.on('error', ({ error }) => errors.push(error.message));
    const hold = await client.getLock(randomName()).acquire();
    const [first] = opened(proxy, false);
    source.give = async () => await Promise.reject(new Error('the token service is down'));

    await eventually(() => source.asked.length > 4);
    source.give = () => ({ password: 'first' });
    await eventually(() => first?.commands.filter(isAuth).length === 2);

    const { port } = new URL(proxy.url);
    expect(errors).toEqual([`credentials for 127.0.0.1:${port}: the token service is down`]);
    expect(first?.isOpen).toBe(true);
    expect(hold.isHeld).toBe(true);
    await hold.release();
  });

  test('the server refuses: the connection stays, and others are asked for', async () => {
    const proxy = await startProxy({ target: server.url });
    const source = new Source('first');
    source.give = lasting(1_000);
    const client = openClient({ redis: proxy.url, credentials: source.ask });
    const errors: string[] = [];
    client.on('error', ({ error }) => errors.push(error.message));
    const hold = await client.getLock(randomName()).acquire();
    const [first] = opened(proxy, false);
    source.give = () => ({ password: 'a wrong one' });

    await eventually(() => source.asked.length > 4);
    source.give = lasting(1_000);
    await eventually(() => (first?.commands.filter(isAuth).length ?? 0) > 3);

    expect(errors).toEqual([expect.stringMatching(/^WRONGPASS /u)]);
    expect(first?.isOpen).toBe(true);
    await hold.release();
  });

  test('the server does not answer: the connection is made anew', async () => {
    const proxy = await startProxy({ target: server.url });
    const source = new Source('first');
    source.give = lasting(1_000);
    const client = openClient({ redis: proxy.url, credentials: source.ask, commandTimeoutMs: 500 });
    const errors: string[] = [];
    client.on('error', ({ error }) => errors.push(error.message));
    const hold = await client.getLock(randomName()).acquire();
    source.give = () => ({ password: 'first' });
    const [first] = opened(proxy, false);
    const held = proxy.holdRequests((command, from) => isAuth(command) && from === first);

    await eventually(() => first?.isOpen === false);
    held.release();
    await hold.release();

    expect(errors).toEqual(['no answer from Redis for 500 ms']);
  });

  test('the server answers nothing while it waits for replicas: that is no silence', async () => {
    const proxy = await startProxy({ target: server.url });
    const source = new Source('first');
    source.give = lasting(1_000);
    const replicas = { min: 1, timeoutMs: 4_000, onShortfall: 'keep' } as const;
    const settings = { redis: proxy.url, credentials: source.ask, commandTimeoutMs: 500 };
    const client = openClient({ ...settings, replicas });
    const errors: string[] = [];
    client.on('error', ({ error }) => errors.push(error.message));

    const acquiring = client.getLock(randomName()).acquire();
    const lane = await eventually(
      () => proxy.connections().find(({ commands }) => commands.some(isWait)) ?? null,
    );
    await eventually(() => lane.commands.some(isAuth));
    await (await acquiring).release();

    expect(lane.isOpen).toBe(true);
    expect(errors).toEqual([]);
  });

  test('nobody listens to errors: a warning says what to do, and that it is over', async () => {
    const proxy = await startProxy({ target: server.url });
    const source = new Source('first');
    source.give = lasting(500);
    const warnings: string[] = [];
    const listen = ({ name, message }: Error): void => {
      if (name === 'RedlatchWarning' && message.includes(`:${proxy.port}`)) {
        warnings.push(message);
      }
    };
    process.on('warning', listen);
    const client = openClient({ redis: proxy.url, credentials: source.ask });
    const hold = await client.getLock(randomName()).acquire();
    await eventually(() => opened(proxy, true).length === 1);
    source.give = async () => await Promise.reject(new Error('NOAUTH at the token service'));

    await eventually(() => warnings.length === 1);
    source.give = () => ({ password: 'first' });
    await eventually(() => warnings.length === 2);
    process.off('warning', listen);

    const trouble = `a connection to Redis at 127.0.0.1:${proxy.port} cannot sign in again`;
    expect(warnings[0]).toContain(`${trouble}: credentials for 127.0.0.1:${proxy.port}: NOAUTH`);
    expect(warnings[0]).toContain('See the function that was given as "credentials"');
    expect(warnings[1]).toMatch(new RegExp(`^over after \\d+ s: ${trouble}$`, 'u'));
    await hold.release();
  });
});
