// The Java side: a program of ours with Redisson in it, driven by lines of JSON.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { jdkProgram } from '../../../scripts/lib/java.mjs';

/** Java has refused: the innermost exception, by its class. */
export class JavaError extends Error {
  override readonly name = 'JavaError';
  /** Simple name of the exception's class. */
  readonly type: string;

  constructor(type: string, message: string) {
    super(`${type}: ${message}`);
    this.type = type;
  }
}

export interface JavaOptions {
  /** Default 30000. */
  readonly leaseMs?: number;
  /** Patience of a waiter of a fair lock that names none, default 300000. */
  readonly fairWaitMs?: number;
  /** A name mapper that puts this in front of every name. */
  readonly keyPrefix?: string;
}

interface Single extends JavaOptions {
  readonly url: string;
}

interface Clustered extends JavaOptions {
  /** Addresses of some nodes. */
  readonly nodes: readonly string[];
  readonly sharded?: 'AUTO' | 'ON' | 'OFF';
}

type Args = Readonly<Record<string, unknown>>;

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
  readonly message?: string;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const programs = new Set<JavaProgram>();
const folder = fileURLToPath(new URL('../java/target', import.meta.url));
// Starts fast, and leaves the cores to others.
const flags = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xmx384m'];
const logging = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error'];

afterAll(async () => {
  await Promise.all([...programs].map(async (program) => await program.kill()));
});

/** A Java virtual machine with any number of Redisson clients. */
export class JavaProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<void>;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;
  #errors = '';
  #isEnded = false;

  private constructor() {
    const classPath = `${folder}/classes:${folder}/lib/*`;
    const args = [...flags, ...logging, '-cp', classPath, 'redlatch.interop.Main'];
    this.#child = spawn(jdkProgram('java'), args, { stdio: 'pipe' });
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (text: Buffer) => {
      this.#errors += text.toString();
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      this.#answered(line);
    });
    this.#exited = new Promise((resolve) => {
      const ended = (): void => {
        programs.delete(this);
        this.#isEnded = true;
        for (const call of this.#pending.values()) {
          call.reject(this.#ended());
        }
        this.#pending.clear();
        resolve();
      };
      this.#child.once('close', ended);
      this.#child.once('error', (error) => {
        this.#errors += error.message;
        ended();
      });
    });
  }

  /** Starts one that ends with the test file. */
  static start(): JavaProgram {
    const program = new JavaProgram();
    programs.add(program);
    return program;
  }

  /** Opens a Redisson client. */
  async open(options: Single | Clustered): Promise<JavaClient> {
    const key = `client-${(this.#lastId += 1)}`;
    const id = (await this.send({ client: key, op: 'open', args: options })) as string;
    return new JavaClient(this, key, id);
  }

  /** Sends a request and waits for its answer. */
  async send(request: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (this.#isEnded) {
      throw this.#ended();
    }
    this.#lastId += 1;
    const id = this.#lastId;
    return await new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ id, ...request })}\n`);
    });
  }

  /** SIGSTOP and SIGCONT pause and resume it. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGKILL, and waits until it is gone: nothing that it holds is released. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  #ended(): JavaError {
    return new JavaError('Ended', `the Java program has ended: ${this.#errors}`);
  }

  #answered(line: string): void {
    const { id, value, error, message } = JSON.parse(line) as Answer;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) {
      pending?.resolve(value);
    } else {
      pending?.reject(new JavaError(error, message ?? ''));
    }
  }
}

/** One Redisson client. */
export class JavaClient {
  /** What its holder ids start with. */
  readonly id: string;
  readonly program: JavaProgram;
  /** What requests name it by. */
  readonly key: string;

  constructor(program: JavaProgram, key: string, id: string) {
    this.program = program;
    this.key = key;
    this.id = id;
  }

  /** A thread of this client: what it does is done one after the other. */
  thread(thread: string): JavaThread {
    return new JavaThread(this.program, this.key, thread);
  }

  /** How many of its callers sleep until a message comes, asynchronous ones included. */
  async parked(): Promise<number> {
    const thread = this.thread('look');
    const parked = await thread.call<number>('thread.parked', '');
    return parked + (await thread.call<number>('thread.listeners', ''));
  }

  async close(): Promise<void> {
    await this.program.send({ client: this.key, thread: 'close', op: 'close' });
  }
}

/** A Java thread, to which holds belong. */
export class JavaThread {
  readonly #program: JavaProgram;
  readonly #place: { client: string; thread: string };

  constructor(program: JavaProgram, client: string, thread: string) {
    this.#program = program;
    this.#place = { client, thread };
  }

  /**
   * Calls a method of an object, such as `lock.tryLock`.
   *
   * @param args named arguments; `async: true` calls the form that keeps no thread waiting
   * @throws JavaError what Java has thrown
   */
  async call<T = null>(op: string, name: string, args: Args = {}): Promise<T> {
    return (await this.#program.send({ ...this.#place, op, name, args })) as T;
  }

  /** Interrupts what it does now. */
  async interrupt(): Promise<void> {
    const { client, thread } = this.#place;
    const place = { client, thread: 'interrupt' };
    await this.#program.send({ ...place, op: 'thread.interrupt', name: `${client}/${thread}` });
  }

  /** How holds of this thread are named on the server. */
  async holderId(): Promise<string> {
    return await this.call<string>('thread.holderId', '');
  }
}
