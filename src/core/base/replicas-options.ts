/**
 * How many replicas have to have a grant before it counts.
 *
 * @example
 * ```ts
 * const replicas: ReplicasOptions = { min: 1, timeoutMs: 200 };
 * const client = createClient({ replicas }); // for its locks and permits with a lease
 * const hold = await client.getLock('invoice:42').acquire({ replicas: { min: 2, timeoutMs: 500 } });
 * ```
 */
export interface ReplicasOptions {
  /** So many replicas have to acknowledge the grant: 1 to 100. */
  min: number;
  /** They are waited for so many milliseconds from the grant: 1 to 60000, and never longer than the call may last
   * (`waitMs`, or `commandTimeoutMs` where it asks once). The lease counts meanwhile. */
  timeoutMs: number;
  /** When they were too few in time: `'undo'` releases the grant, and the call rejects with
   * ReplicasError; `'keep'` keeps it, and the client emits `replicas`. Default `'undo'`. */
  onShortfall?: 'undo' | 'keep' | undefined;
}

/** The same, checked. */
export interface CheckedReplicas {
  readonly min: number;
  readonly timeoutMs: number;
  readonly onShortfall: 'undo' | 'keep';
}
