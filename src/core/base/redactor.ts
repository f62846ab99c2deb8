/** Replaces a secret. */
const HIDDEN = '***';

/** Options whose values, nested ones included, are secret: passwords, keys, names of users. */
const SECRET_OPTION = /pass|user|key$|^pfx$|secret|token/i;
const USER_OPTION = /user/i;

/** Shorter secrets are hidden only as whole words: elsewhere they are parts of other words. */
const TELLING_LENGTH = 4;

/** A message may cut a long secret off, so its first characters, this many, are hidden too. */
const BEGINNING_LENGTH = 16;

/** The user that every server has: no secret. */
const EVERYBODY = 'default';

/** Real options are not nested deeper than this; circular ones would never end. */
const DEPTH_MAX = 6;

/** The fields of an error that are kept besides its class, message, stack and nested errors. */
const KEPT = ['code', 'errno', 'syscall', 'address', 'port', 'hostname', 'reason'];

/** The fields in which errors have nested errors. */
const NESTED = ['cause', 'lastNodeError', 'errors', 'previousErrors'];

/** An error that is kept as it is: the router reads it, and it shows no more than a slot. */
const REDIRECTION = /^(?:MOVED|ASK) \d+ \S+$/;

/** The name of an answer of the server that is an error. A literal, since the driver reads it off its
 * class, which has another name in a minified bundle. */
export const REPLY_ERROR = 'ReplyError';

/** A text as a message may show it: URLs lose their user, password and query. */
export function withoutCredentials(value: string): string {
  return value.replace(/(?<=:\/\/)[^]*@/, `${HIDDEN}@`).replace(/(?<=:\/\/[^?#]*[?#])[^]+/, HIDDEN);
}

/** Hides the credentials of a template wherever the driver repeats them. */
export class Redactor {
  /** The frames of a stack keep short secrets and users, which occur in the names of files. */
  readonly #inMessages: RegExp | undefined;
  readonly #inFrames: RegExp | undefined;
  /** The copies made so far: an error may come several times, and errors may form a circle. */
  readonly #cleaned = new WeakMap<object, Error>();
  readonly #isReply: (thrown: object) => boolean;

  /** `isReply` knows the driver's errors that are answers of the server. */
  constructor(options: object, isReply: (thrown: object) => boolean) {
    this.#isReply = isReply;
    const passwords = new Set<string>();
    const users = new Set<string>();
    collect(options, passwords, users, 0);
    users.delete(EVERYBODY);
    const [long, short] = [[...passwords].filter(isTelling), [...passwords].filter(isShort)];
    const anywhere = long.flatMap(formsOf).map(literal);
    const beginnings = long
      .filter(({ length }) => length > BEGINNING_LENGTH)
      .map((secret) => `${literal(secret.slice(0, BEGINNING_LENGTH))}[^\\s"'\`]*`);
    const alone = [...short, ...users]
      .filter((secret) => secret !== '')
      .flatMap(formsOf)
      .map((form) => `(?<!\\w)${literal(form)}(?!\\w)`);
    this.#inFrames = anyOf(anywhere, beginnings);
    this.#inMessages = anyOf(anywhere, beginnings, alone);
  }

  /** A copy of an error of the driver, with its class and stack, but without credentials. Fields
   * that are not known to be harmless are dropped, such as commands with their arguments. */
  error(thrown: unknown): Error {
    if (typeof thrown !== 'object' || thrown === null) {
      return new Error(this.#message(String(thrown)));
    }
    return this.#copy(thrown, this.#isReply(thrown));
  }

  /** The same of an error that is an answer of the server. */
  reply(answer: Error): Error {
    return this.#copy(answer, true);
  }

  #copy(thrown: object, isReply: boolean): Error {
    const known = this.#cleaned.get(thrown);
    if (known !== undefined) {
      return known;
    }
    const name = isReply ? REPLY_ERROR : (textOf(thrown, 'name') ?? 'Error');
    const message = textOf(thrown, 'message') ?? '';
    const clean = new Error(isReply ? this.#reply(message) : this.#message(message));
    this.#cleaned.set(thrown, clean);
    if (thrown instanceof Error) {
      Reflect.setPrototypeOf(clean, Reflect.getPrototypeOf(thrown));
    }
    define(clean, 'name', /^[A-Z]\w*Error$/u.test(name) ? name : this.#message(name));
    define(clean, 'stack', this.#stack(textOf(thrown, 'stack') ?? '', message, clean));
    this.#keep(thrown, clean);
    return clean;
  }

  #keep(thrown: object, clean: Error): void {
    for (const property of KEPT) {
      const value = read(thrown, property);
      if (typeof value === 'number') {
        Object.assign(clean, { [property]: value });
      } else if (typeof value === 'string') {
        Object.assign(clean, { [property]: this.#message(value) });
      }
    }
    for (const property of NESTED) {
      const value = read(thrown, property);
      if (Array.isArray(value)) {
        define(
          clean,
          property,
          Array.from(value, (each: unknown) => this.error(each)),
        );
      } else if (value !== undefined && value !== null) {
        define(clean, property, this.error(value));
      }
    }
  }

  /** Keeps the code of an error reply (`NOSCRIPT` ...), by which the client decides what to do. */
  #reply(message: string): string {
    if (REDIRECTION.test(message)) {
      return message;
    }
    const [code = ''] = /^[A-Z]+(?= |$)/.exec(message) ?? [];
    return code + this.#message(message.slice(code.length));
  }

  #message(message: string): string {
    const hidden =
      this.#inMessages === undefined ? message : message.replaceAll(this.#inMessages, HIDDEN);
    return (
      hidden
        // A server that does not know AUTH repeats the first part of its arguments.
        .replace(/(?<=with args beginning with: ).+/s, HIDDEN)
        .replaceAll(/(?<=\w:\/\/)[^\s"'`]*@/g, `${HIDDEN}@`)
        .replaceAll(/(?<=\w:\/\/[^\s"'`?#]*[?#])[^\s"'`]+/g, HIDDEN)
    );
  }

  /** The redacted message, as in every stack, and the frames. */
  #stack(stack: string, message: string, clean: Error): string {
    const [frames = ''] = /\n {4}at [^]*$/.exec(stack.slice(stack.indexOf(message))) ?? [];
    const hidden =
      this.#inFrames === undefined ? frames : frames.replaceAll(this.#inFrames, HIDDEN);
    return (clean.message === '' ? clean.name : `${clean.name}: ${clean.message}`) + hidden;
  }
}

function isTelling({ length }: string): boolean {
  return length >= TELLING_LENGTH;
}

function isShort(secret: string): boolean {
  return !isTelling(secret);
}

/** Collects the values of secret options, at any depth. */
function collect(options: object, passwords: Set<string>, users: Set<string>, depth: number): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (SECRET_OPTION.test(name)) {
      collectAll(value, USER_OPTION.test(name) ? users : passwords, depth);
    } else if (isContainer(value) && depth < DEPTH_MAX) {
      collect(value, passwords, users, depth + 1);
    }
  }
}

/** Collects every string in `value`, and each line of a private key: any of them is a secret. */
function collectAll(value: unknown, into: Set<string>, depth: number): void {
  if (typeof value === 'string') {
    const lines = value.split('\n').filter(({ length }) => length >= BEGINNING_LENGTH);
    for (const secret of [value, ...lines.filter((line) => !line.startsWith('-----'))]) {
      into.add(secret);
    }
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    into.add(String(value));
  } else if (Buffer.isBuffer(value)) {
    collectAll(value.toString('latin1'), into, depth);
  } else if (isContainer(value) && depth < DEPTH_MAX) {
    for (const part of Object.values(value) as unknown[]) {
      collectAll(part, into, depth + 1);
    }
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Buffer.isBuffer(value);
}

/** A secret in the ways in which a message may show it. */
function formsOf(secret: string): string[] {
  // Through bytes, since `encodeURIComponent` throws on a lone surrogate.
  const encoded = encodeURIComponent(Buffer.from(secret).toString());
  return [...new Set([secret, encoded, JSON.stringify(secret).slice(1, -1)])];
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Longer texts of a group are tried first: a shorter one may be the beginning of a longer one. */
function anyOf(...groups: string[][]): RegExp | undefined {
  const patterns = groups.flatMap((group) => group.toSorted((a, b) => b.length - a.length));
  return patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g');
}

/** A property of an unknown object; undefined when its getter throws. */
function read(source: object, property: string): unknown {
  try {
    return Reflect.get(source, property);
  } catch {
    return undefined;
  }
}

function textOf(source: object, property: string): string | undefined {
  const value = read(source, property);
  return typeof value === 'string' ? value : undefined;
}

/** Defines a property of an error as the language does: not enumerable. */
function define(error: Error, property: string, value: unknown): void {
  Object.defineProperty(error, property, { value, configurable: true, writable: true });
}
