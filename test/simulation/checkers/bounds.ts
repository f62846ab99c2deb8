// How long things may take, and how far clocks may be apart: all that the checkers assume, in one
// place. Times are ms.

export interface Bounds {
  /** The longest that bytes are under way in a sound network, one way. */
  readonly networkMs: number;
  /** The longest that bytes of a network with a fault are under way after the fault has ended. */
  readonly lateMs: number;
  /** By how much the clocks of the server and of a client may run at different rates. */
  readonly drift: number;
  /** The lease that is assumed where nothing is known of one. */
  readonly leaseMs: number;
  /** How long a waiter may sleep before it looks by itself. */
  readonly recheckMs: number;
  /** How long one may sleep on though the lock was given to somebody else, who lets a shorter lease run out. */
  readonly aheadMs: number;
  /** Until a waiter is in behind one in front of it that is dead: the others pass it over. */
  readonly passOverMs: number;
  /** Until a client is connected, and has asked, after the end of a fault. */
  readonly recoveryMs: number;
  readonly commandTimeoutMs: number;
  /** From the end of a wait, an abort or the loss of a lease until the caller knows. */
  readonly settleMs: number;
  /** From the end of a call that failed until what it took is given back, in a sound network. */
  readonly cleanUpMs: number;
  /** A hold that was released this long before may be told as lost: it ended within a run of holds
   * of one client, which release on the server once. */
  readonly releasedMs: number;
  /** For so long a lock that was released may be left to those who stand in no line, until a waiter in one
   * looks again. */
  readonly openTurnMs: number;
  /** From the call of a waiter until the holder is told that somebody waits, in a sound network, and reads
   * that. */
  readonly toldMs: number;
  /** Of the search for an order: what takes more is undecided. */
  readonly maxSteps: number;
}

export const BOUNDS: Bounds = {
  networkMs: 50,
  lateMs: 1_200,
  drift: 0.01,
  leaseMs: 30_000,
  recheckMs: 5_000,
  aheadMs: 50,
  passOverMs: 5_000,
  recoveryMs: 5_000,
  commandTimeoutMs: 5_000,
  settleMs: 50,
  cleanUpMs: 250,
  releasedMs: 10,
  openTurnMs: 5,
  toldMs: 50,
  maxSteps: 3_000_000,
};
