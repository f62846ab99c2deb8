/** What the waiters of one client hear of the permits of a semaphore, and when that is worth an ask. */
export class PermitNews {
  /** True when by the last answer nobody has set the number of permits. */
  isUninitialised = false;
  /** The highest number heard since the call under way began; negative: none was. */
  #highest = -1;

  /** A call begins, whose answer may be older than what is heard from now on. */
  callBegins(): void {
    this.#highest = -1;
  }

  heard(available: number): void {
    this.#highest = Math.max(this.#highest, available);
  }

  /** True when so many permits may serve a waiter for `count`. Where no semaphore was known, any number
   * is worth an ask: it says that there is one. */
  isWorthAsking(available: number, count: number): boolean {
    return available >= (this.isUninitialised ? 0 : count);
  }

  /** The same of what was heard during the call. */
  hasComeFor(count: number): boolean {
    return this.isWorthAsking(this.#highest, count);
  }
}
