import { lockCommands } from './lock-commands.js';
import { check, finish, setup, type Kind } from './lock-model.js';
import { testModel } from './seeds.js';
import { worlds } from './world.js';

const fenced: Kind = {
  lockOf: (client, name) => client.getFencedLock(name),
  isFenced: true,
  isFair: false,
};

testModel('one holder at a time, and tokens grow, whatever the network does', {
  worlds: await worlds('lock-model', [/^redisson_lock_token:/]),
  commands: lockCommands,
  maxCommands: 40,
  setup: (world) => setup(fenced, world),
  check,
  finish,
});
