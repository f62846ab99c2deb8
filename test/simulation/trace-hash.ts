// What a run has sent and what its users saw, as one number: a change of the program that is to change
// neither leaves it as it was.

import { createHash } from 'node:crypto';
import type { Trace } from '../../src/testing/network/conditions.js';
import * as scripts from '../../src/core/wire/scripts.generated.js';
import type { History } from './history.js';
import { storyOf } from './story.js';

/** Scripts by their digests: their texts may change while what is sent stays the same. */
const NAMES = new Map(Object.values(scripts).map(({ sha1, name }) => [sha1, name]));

/** Of a run, from its beginning on. */
export class TraceHash {
  readonly #hash = createHash('sha1');

  readonly trace: Trace = (at, argv) => {
    this.#hash.update(`${at.toFixed(3)} ${named(argv).join(' ')}\n`);
  };

  /** Of the whole run, with what its users were answered. */
  digest(history: History): string {
    return this.#hash.update(storyOf(history)).digest('hex');
  }
}

/** A command with the name of its script in place of the text or the digest. */
function named(argv: readonly string[]): readonly string[] {
  const [command = '', text = '', ...rest] = argv;
  switch (command.toUpperCase()) {
    case 'EVAL':
      return [command, /^-- (\S+)/u.exec(text)?.[1] ?? text, ...rest];
    case 'EVALSHA':
      return [command, NAMES.get(text) ?? text, ...rest];
    default:
      return argv;
  }
}
