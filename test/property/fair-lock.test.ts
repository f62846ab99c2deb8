import { lockCommands } from './lock-commands.js';
import { check, finish, setup, type Kind } from './lock-model.js';
import { testModel } from './seeds.js';
import { worlds } from './world.js';

const fair: Kind = {
  lockOf: (client, name) => client.getFairLock(name),
  isFenced: false,
  isFair: true,
};

testModel('first come, first served over all clients, whatever the network does', {
  worlds: await worlds('fair-lock-model'),
  commands: lockCommands,
  setup: (world) => setup(fair, world),
  check,
  finish,
});
