import { expect, test } from 'vitest';
import { OneServer, type Side } from '../../src/core/connection/one-server.js';

interface Stage {
  readonly reported: string[];
  readonly dropped: string[];
  readonly proved: string[];
  readonly tried: string[];
  readonly oneServer: OneServer;
  readonly side: (name: string) => Side;
}

function stage(): Stage {
  const reported: string[] = [];
  const dropped: string[] = [];
  const proved: string[] = [];
  const tried: string[] = [];
  return {
    reported,
    dropped,
    proved,
    tried,
    oneServer: new OneServer('somewhere:6379', ({ message }) => reported.push(message)),
    side: (name) => ({
      leave: () => dropped.push(name),
      prove: () => proved.push(name),
      tryNow: () => tried.push(name),
    }),
  };
}

test('the older one of two connections to different servers is made anew', () => {
  const { oneServer, side, dropped, reported } = stage();
  const [commands, messages] = [side('commands'), side('messages')];

  oneServer.learned(commands, 'a');
  oneServer.learned(messages, 'a');
  oneServer.lost(commands);
  oneServer.learned(commands, 'b');
  expect(dropped).toEqual(['messages']);
  oneServer.lost(messages);
  oneServer.learned(messages, 'b');

  expect([dropped, reported]).toEqual([['messages'], []]);
});

test('connections that differ three times in a row stay, which is reported once', () => {
  const { oneServer, side, dropped, reported } = stage();
  const [commands, messages] = [side('commands'), side('messages')];
  oneServer.learned(commands, 'a');

  for (let i = 0; i < 5; i += 1) {
    oneServer.lost(messages);
    oneServer.learned(messages, 'b');
  }

  expect(dropped).toEqual(['commands', 'commands']);
  expect(reported).toEqual(['connections to somewhere:6379 lead to different servers: b and a']);
  oneServer.learned(messages, 'a');
  oneServer.learned(messages, 'c');
  expect(dropped).toEqual(['commands', 'commands', 'commands']);
});

test('where one server hides which it is, the connections prove what they hear', () => {
  const { oneServer, side, dropped, proved } = stage();
  const [commands, messages] = [side('commands'), side('messages')];

  oneServer.learned(messages, 'a');
  expect(proved).toEqual([]);
  oneServer.learned(commands, undefined);

  expect([dropped, proved]).toEqual([[], ['messages', 'commands']]);
});

test('when a master is demoted, all connections but the one that was refused leave it', () => {
  const { oneServer, side, dropped } = stage();
  const [commands, plain, sharded] = [side('commands'), side('plain'), side('sharded')];
  for (const each of [commands, plain, sharded]) {
    oneServer.learned(each, 'a');
  }

  oneServer.demoted(commands, new Error('READONLY'));

  expect(dropped).toEqual(['plain', 'sharded']);
});

test('when one connection is ready, the others that have none are tried at once', () => {
  const { oneServer, side, tried } = stage();
  const [commands, messages, closed] = [side('commands'), side('messages'), side('closed')];
  const all = [commands, messages, closed];
  for (const each of all) {
    oneServer.learned(each, 'a');
  }
  for (const each of all) {
    oneServer.lost(each);
  }
  oneServer.ended(closed);

  oneServer.learned(commands, 'b');
  oneServer.learned(messages, 'b');

  expect(tried).toEqual(['messages']);
});
