import type { Operand } from '../wire/script.js';

/** Reports messages that the server refuses to publish: once for each kind of channel, since every
 * message fails until the user is given the right. */
export class RefusedMessages {
  readonly #failed: (error: Error) => void;
  readonly #told = new Set<string>();

  constructor(failed: (error: Error) => void) {
    this.#failed = failed;
  }

  /** A script with these operands ran, but the server refused its message. */
  report(operands: readonly Operand[]): void {
    const args = operands.slice(Number(operands[0]) + 1);
    const at = args.findIndex((operand) => operand === 'PUBLISH' || operand === 'SPUBLISH');
    const publish = String(args[at]);
    const channel = String(args[at + 1]);
    // In Redisson's names of channels the kind stands in front of the name of the object.
    const kind = /^\w*/u.exec(channel)?.[0] ?? '';
    if (!this.#told.has(kind)) {
      this.#told.add(kind);
      const missing = `+${publish.toLowerCase()} &${kind}*`;
      this.#failed(
        new Error(
          `Redis refuses ${publish} on "${channel}": what was done stands, but other ` +
            `processes are not woken. Waiters there get in when they look again, those of Java ` +
            `when the lease that they saw ends, or never. The user lacks one of: ${missing}`,
        ),
      );
    }
  }
}
