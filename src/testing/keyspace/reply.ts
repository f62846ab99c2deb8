// The answers of commands, before they are written to a connection or given to a script.

/** A short answer such as `OK`. */
export class Status {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An error that the server sends. Its message begins with a code: `ERR`, `WRONGTYPE`. */
export class ReplyError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A string is a bulk string, with one character for each byte. */
export type Reply = null | number | string | Status | ReplyError | Reply[];

export const OK: Status = new Status('OK');

/** Ends a command with an error reply. It leaves no command: what runs one catches it. */
export class Refusal extends Error {
  static override readonly name = 'Refusal';
  override readonly name = 'Refusal';
  readonly reply: ReplyError;

  constructor(message: string) {
    super(message);
    this.reply = new ReplyError(message);
  }
}

// Each is made once: the stack of a refusal says nothing, and would cost more than the command.
export const WRONG_TYPE: Refusal = new Refusal(
  'WRONGTYPE Operation against a key holding the wrong kind of value',
);
export const SYNTAX_ERROR: Refusal = new Refusal('ERR syntax error');
export const NOT_AN_INTEGER: Refusal = new Refusal('ERR value is not an integer or out of range');
export const NOT_A_FLOAT: Refusal = new Refusal('ERR value is not a valid float');
