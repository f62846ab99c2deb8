import type { Member } from './member.js';
import type { Members } from './members.js';
import type { QuorumName } from './names.js';

/** `isOfFirst`: the server that is asked first has freed one of the names; else as many others as a majority has. */
type Wake = (isOfFirst: boolean) => void;

/** Notices that one of some names was freed. */
export class WakeUps {
  readonly #members: Members;
  readonly #leave: (() => void)[] = [];
  /** The servers that have notified since the last wake-up. */
  readonly #heard = new Set<Member>();
  #wake: Wake | undefined;

  constructor(members: Members, names: readonly QuorumName[]) {
    this.#members = members;
    for (const member of members.all) {
      const { hub } = member.services;
      for (const { keys } of names) {
        const heard = (): void => {
          this.#heard.add(member);
          this.#notify();
        };
        this.#leave.push(hub.listen(keys.channel, heard));
      }
    }
  }

  /** Calls `wake` with the next messages; or no more. What has come since the last one is not missed. */
  once(wake: Wake | undefined): void {
    this.#wake = wake;
    this.#notify();
  }

  #notify(): void {
    const wake = this.#wake;
    const first = this.#members.firstVoting;
    const isOfFirst = first !== undefined && this.#heard.has(first);
    if (wake === undefined || !(isOfFirst || this.#heard.size >= this.#members.majority)) {
      return;
    }
    this.#heard.clear();
    // That of the first one is the last.
    this.#wake = isOfFirst ? undefined : wake;
    wake(isOfFirst);
  }

  close(): void {
    for (const leave of this.#leave) {
      leave();
    }
  }
}
