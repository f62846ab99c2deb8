// @ts-check
// A child process: sets up the task that its arguments name, then runs one round per message.
import { contend } from './tasks/contend.mjs';
import { cycles } from './tasks/cycles.mjs';
import { idle } from './tasks/idle.mjs';
import { memory } from './tasks/memory.mjs';
import { queue } from './tasks/queue.mjs';
import { quiet } from './tasks/quiet.mjs';
import { quorum } from './tasks/quorum.mjs';
import { readers } from './tasks/readers.mjs';
import { sets } from './tasks/sets.mjs';
import { wait } from './tasks/wait.mjs';

/** @typedef {{ round(): Promise<object> }} Task */

/** @type {Record<string, (options: never) => Promise<Task> | Task>} */
const tasks = { contend, cycles, idle, memory, queue, quiet, quorum, readers, sets, wait };

const [, , name = '', options = ''] = process.argv;
const setUp = tasks[name];
if (setUp === undefined) {
  throw new Error(`no task "${name}"`);
}
const task = await setUp(/** @type {never} */ (JSON.parse(options)));

process.on('message', () => {
  task.round().then(
    (result) => process.send?.(result),
    (error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
