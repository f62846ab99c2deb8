import type { Command } from '../core/wire/call.js';
import type { AskAnswer, PartResult } from '../multi-lock/commands.js';
import { askFor, releaseFor } from './commands.js';
import type { Members } from './members.js';
import type { QuorumName } from './names.js';

/** The commands of a claim, each made once for all servers. */
export class ClaimCommands {
  readonly #members: Members;
  readonly #names: readonly QuorumName[];
  readonly #holderId: string;
  #ask: { readonly leaseMs: number; readonly command: Command<AskAnswer> } | undefined;
  /** The release behind which no copy of an ask may run. */
  #releaseOnce: Command<readonly PartResult[]> | undefined;

  constructor(members: Members, names: readonly QuorumName[], holderId: string) {
    this.#members = members;
    this.#names = names;
    this.#holderId = holderId;
  }

  askFor(leaseMs: number): Command<AskAnswer> {
    if (this.#ask?.leaseMs !== leaseMs) {
      const command = askFor(this.#members.router, this.#names, this.#holderId, leaseMs);
      this.#ask = { leaseMs, command };
    }
    return this.#ask.command;
  }

  /** `mayRunLate`: a copy of an ask may run behind it. */
  releaseWith(mayRunLate: boolean): Command<readonly PartResult[]> {
    const make = (): Command<readonly PartResult[]> =>
      releaseFor(this.#members.router, this.#names, this.#holderId, mayRunLate);
    return mayRunLate ? make() : (this.#releaseOnce ??= make());
  }
}
