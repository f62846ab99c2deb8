// Child processes that use the built package, to be paused and killed like real ones.

import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { driverPackage } from './driver.mjs';
import { atFileEnd } from './file-end.js';

/** What a worker script sends with `process.send`: a type, and what the type carries. */
export interface WorkerMessage {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface WorkerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The worker ended, or stayed silent, while a message of it was awaited. */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';
}

const workers = new Set<Worker>();
const otherDriver = fileURLToPath(new URL('other-driver.mjs', import.meta.url));
const wrappedDriver = fileURLToPath(new URL('wrapped-driver.mjs', import.meta.url));

atFileEnd(async () => {
  await Promise.all([...workers].map(async (worker) => await worker.kill()));
});

export class Worker {
  readonly pid: number;
  /** Everything it sent so far, oldest first. */
  readonly messages: WorkerMessage[] = [];
  readonly exited: Promise<WorkerExit>;
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();
  #output = '';
  #exit: WorkerExit | undefined;
  #read = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid ?? -1;
    child.on('message', (message) => {
      this.messages.push(message as WorkerMessage);
      this.#changed();
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: Buffer) => {
        this.#output += text.toString();
      });
    }
    this.exited = new Promise((resolve) => {
      const settle = (exit: WorkerExit): void => {
        this.#exit = exit;
        workers.delete(this);
        this.#changed();
        resolve(exit);
      };
      child.once('close', (code, signal) => {
        settle({ code, signal });
      });
      child.once('error', (error) => {
        this.#output += error.message;
        settle({ code: null, signal: null });
      });
    });
  }

  /** What it wrote to stdout and stderr so far. */
  get output(): string {
    return this.#output;
  }

  send(message: WorkerMessage): void {
    this.#child.send(message);
  }

  /**
   * Waits for a message of a type, past those an earlier call has returned or passed over.
   *
   * @throws WorkerError when it ends first, or does not send it in time
   */
  async message<T extends WorkerMessage = WorkerMessage>(
    type: string,
    { withinMs = 30_000 }: { withinMs?: number } = {},
  ): Promise<T> {
    return await new Promise<T>((resolve, reject) => {
      const settle = (act: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        act();
      };
      const fail = (what: string): void => {
        const seen = this.messages.map((message) => message.type).join(', ');
        const text = `${what} before "${type}"; messages: ${seen}; output: ${this.#output}`;
        settle(() => {
          reject(new WorkerError(text));
        });
      };
      const look = (): void => {
        const at = this.messages.findIndex(
          (message, i) => i >= this.#read && message.type === type,
        );
        if (at !== -1) {
          this.#read = at + 1;
          settle(() => {
            resolve(this.messages[at] as T);
          });
        } else if (this.#exit !== undefined) {
          fail(
            `worker ${this.pid} ended (${this.#exit.code ?? this.#exit.signal ?? 'not started'})`,
          );
        }
      };
      const timer = setTimeout(() => {
        fail(`worker ${this.pid} was silent for ${withinMs} ms`);
      }, withinMs);
      this.#listeners.add(look);
      look();
    });
  }

  /** Sends a signal: SIGSTOP and SIGCONT pause and resume it. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it and waits until it is gone. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<WorkerExit> {
    if (this.#exit === undefined) {
      this.#child.kill(signal);
    }
    return await this.exited;
  }

  #changed(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

/**
 * Starts `test/process/workers/<name>.mjs`, which ends at the latest with the test file.
 *
 * @param name file name without `.mjs`, or an absolute path
 * @param options.args what it finds in `process.argv` from index 2
 */
export function startWorker(
  name: string,
  { args = [], env = {} }: { args?: string[]; env?: NodeJS.ProcessEnv } = {},
): Worker {
  const script = name.startsWith('/')
    ? name
    : fileURLToPath(new URL(`../process/workers/${name}.mjs`, import.meta.url));
  // The child imports the built package, which no alias and no set-up of the test runner reaches.
  const hooks = [
    ...(driverPackage === 'ioredis' ? [] : [otherDriver]),
    ...(process.env['REDLATCH_TEST_WIRE'] === 'driver' ? [wrappedDriver] : []),
  ];
  const child = fork(script, args, {
    env: { ...process.env, ...env },
    execArgv: hooks.flatMap((path) => ['--import', pathToFileURL(path).href]),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const worker = new Worker(child);
  workers.add(worker);
  return worker;
}
