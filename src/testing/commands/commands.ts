// The commands of the server: those that scripts and connections of redlatch use, and what a test
// needs to look at the keys. Their replies are those of Redis 7.0, down to the texts of errors.

import { type Command, wrongNumberOfArguments } from './command.js';
import { HASH_COMMANDS } from './hashes.js';
import { KEY_COMMANDS } from './keys.js';
import { LIST_COMMANDS } from './lists.js';
import { SORTED_SET_COMMANDS } from './sorted-sets.js';
import { STRING_COMMANDS } from './strings.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import { type Reply, ReplyError } from '../keyspace/reply.js';

export type { Command } from './command.js';

const ALL = [
  ...KEY_COMMANDS,
  ...STRING_COMMANDS,
  ...HASH_COMMANDS,
  ...LIST_COMMANDS,
  ...SORTED_SET_COMMANDS,
];

/** Each command is here twice: under its name in small letters, and in capitals. */
export const COMMANDS: ReadonlyMap<string, Command> = new Map(
  ALL.flatMap((each) => [
    [each.name, each],
    [each.name.toUpperCase(), each],
  ]),
);

function unknownCommand([name = '', ...args]: readonly string[]): ReplyError {
  let shown = '';
  for (const arg of args) {
    if (shown.length < 128) {
      shown += `'${cText(arg).slice(0, 128 - shown.length)}' `;
    }
  }
  const message = `ERR unknown command '${cText(name).slice(0, 128)}', with args beginning with: ${shown}`;
  return new ReplyError(message.replaceAll(/[\r\n]/g, ' '));
}

/** What C prints of a text: it ends at a zero byte. */
function cText(text: string): string {
  return text.split('\0', 1)[0] ?? '';
}

/** Runs a command and its arguments. Every failure is an error reply. */
export function execute(keyspace: Keyspace, argv: readonly string[]): Reply {
  const name = argv[0] ?? '';
  const command = COMMANDS.get(name) ?? COMMANDS.get(name.toLowerCase());
  if (command === undefined) {
    return unknownCommand(argv);
  }
  const { arity } = command;
  if (arity > 0 ? argv.length !== arity : argv.length < -arity) {
    return new ReplyError(wrongNumberOfArguments(command.name));
  }
  return command.run(keyspace, argv.slice(1));
}
