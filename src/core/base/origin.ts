import { debuglog } from 'node:util';

/** So many frames are shown: those of the program stand behind ours. */
const FRAMES = 25;

const debug = debuglog('redlatch');

/** The stack of the caller, from the first frame of the program on, where `NODE_DEBUG` has `redlatch`; else
 * undefined, since a stack takes longer than all else that a call does here. */
export function originOf(): string | undefined {
  if (!debug.enabled) {
    return undefined;
  }
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES;
  const stack: unknown = new Error('here').stack;
  Error.stackTraceLimit = stackTraceLimit;
  // A program may have its own Error.prepareStackTrace, which makes anything of it.
  return typeof stack === 'string' ? ofProgram(stack.split('\n').slice(1)).join('\n') : undefined;
}

/** The package is one file, and one with the program where that is bundled: then all frames are shown. */
function ofProgram(frames: readonly string[]): readonly string[] {
  const own = fileOf(frames[0]);
  const first = frames.findIndex((frame) => ![own, 'node'].includes(fileOf(frame)));
  return first < 0 ? frames : frames.slice(first);
}

/** Its file; `node` for all files of Node.js. */
function fileOf(frame: string | undefined): string | undefined {
  const file = /\(?([^\s()]+):\d+:\d+\)?$/.exec(frame ?? '')?.[1];
  return file?.startsWith('node:') === true ? 'node' : file;
}
