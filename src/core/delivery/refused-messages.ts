/** Reports messages that the server refuses to publish: once for each kind of channel, since every
 * message fails until the user is given the right. */
export class RefusedMessages {
  readonly #failed: (error: Error) => void;
  readonly #told = new Set<string>();

  constructor(failed: (error: Error) => void) {
    this.#failed = failed;
  }

  /** A script ran, but the server refused its message. */
  report(publish: string, channel: string): void {
    // In the names of channels the kind stands in front.
    const kind = /^\w*/u.exec(channel)?.[0] ?? '';
    if (!this.#told.has(kind)) {
      this.#told.add(kind);
      const missing = `+${publish.toLowerCase()} &${kind}*`;
      const effect =
        kind === 'redlatch'
          ? 'but a client whose holds have ended learns of it with its next renewal, and one that ' +
            'was handed a lock when it asks again.'
          : 'but other processes are not woken. Waiters there get in when they look again, those ' +
            'of Java when the lease that they saw ends, or never.';
      this.#failed(
        new Error(
          `Redis refuses ${publish} on "${channel}": what was done stands, ${effect} ` +
            `The user lacks one of: ${missing}`,
        ),
      );
    }
  }
}
