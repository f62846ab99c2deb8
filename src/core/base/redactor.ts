/** Stands in the place of something secret. */
const HIDDEN = '***';

/** Options whose values, and all that is in them, say who we are. */
const SECRET_OPTION = /pass|user|key$|^pfx$|secret|token/i;
const USER_OPTION = /user/i;

/** Shorter secrets are hidden where they stand alone only: elsewhere they are parts of words. */
const TELLING_LENGTH = 4;

/** Of a long secret a message may show the beginning only. */
const BEGINNING_LENGTH = 16;

/** The user that every server has. */
const EVERYBODY = 'default';

/** Options are not nested deeper, unless they form a circle. */
const DEPTH_MAX = 6;

/** The fields of an error that are kept besides its class, message, stack and the errors in it. */
const KEPT = ['code', 'errno', 'syscall', 'address', 'port', 'hostname', 'reason'];

/** Where errors have other errors. */
const NESTED = ['cause', 'lastNodeError', 'errors', 'previousErrors'];

/** Tells of the slot of a key only, and is read by the router. */
const REDIRECTION = /^(?:MOVED|ASK) \d+ \S+$/;

/** A value as a message may show it: of a URL neither user, password nor query. */
export function withoutCredentials(value: string): string {
  return value.replace(/(?<=:\/\/)[^]*@/, `${HIDDEN}@`).replace(/(?<=:\/\/[^?#]*[?#])[^]+/, HIDDEN);
}

/** Hides what a template says about who we are, wherever the driver repeats it. */
export class Redactor {
  /** In messages, and in stacks: the names of files are no secret, though they may name a user. */
  readonly #inMessages: RegExp | undefined;
  readonly #inFrames: RegExp | undefined;
  /** One error may come several times, and errors may form a circle. */
  readonly #cleaned = new WeakMap<object, Error>();

  constructor(options: object) {
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

  /** A copy of an error of the driver, with its class and its stack, that says where and why, and
   * not who we are. Nothing is kept that is not known to be harmless: commands have arguments. */
  error(thrown: unknown): Error {
    if (typeof thrown !== 'object' || thrown === null) {
      return new Error(this.#message(String(thrown)));
    }
    const known = this.#cleaned.get(thrown);
    if (known !== undefined) {
      return known;
    }
    const name = textOf(thrown, 'name') ?? 'Error';
    const message = textOf(thrown, 'message') ?? '';
    const isReply = name === 'ReplyError';
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

  /** The server's word for what is wrong stays as it is: it decides what is done about it. */
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
        // A server that does not know AUTH repeats what it was given, as far as there is room.
        .replace(/(?<=with args beginning with: ).+/s, HIDDEN)
        .replaceAll(/(?<=\w:\/\/)[^\s"'`]*@/g, `${HIDDEN}@`)
        .replaceAll(/(?<=\w:\/\/[^\s"'`?#]*[?#])[^\s"'`]+/g, HIDDEN)
    );
  }

  /** Message first, as in every stack, then the frames. */
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

/** Collects what secret options have, at any depth. */
function collect(options: object, passwords: Set<string>, users: Set<string>, depth: number): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (SECRET_OPTION.test(name)) {
      collectAll(value, USER_OPTION.test(name) ? users : passwords, depth);
    } else if (isContainer(value) && depth < DEPTH_MAX) {
      collect(value, passwords, users, depth + 1);
    }
  }
}

/** Collects every string in `value`; a private key is told by any of its lines. */
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
  // Through bytes, since halves of a pair cannot be encoded.
  const encoded = encodeURIComponent(Buffer.from(secret).toString());
  return [...new Set([secret, encoded, JSON.stringify(secret).slice(1, -1)])];
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}

/** Of two that begin alike the longer one is tried first. */
function anyOf(...groups: string[][]): RegExp | undefined {
  const patterns = groups.flatMap((group) => group.toSorted((a, b) => b.length - a.length));
  return patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g');
}

/** A property of something that may be anything, a getter that throws included. */
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

/** As the language defines it: not among what a loop over the error shows. */
function define(error: Error, property: string, value: unknown): void {
  Object.defineProperty(error, property, { value, configurable: true, writable: true });
}
