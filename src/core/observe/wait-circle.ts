/** A hold of this client, as waits see it. */
export interface HoldInScope {
  /** The id of its lock, which is different in every client. */
  readonly lockId: string;
  readonly lockName: string;
  readonly state: string;
}

/** Where the code that waits runs. */
export interface Surroundings {
  /** What it has: the holds in whose scopes it runs, and those that it has acquired on its way. */
  readonly holds: readonly { readonly hold: HoldInScope | undefined }[];
  /** Whether it waits for the end of a hold of this client. */
  isBehind(hold: HoldInScope): boolean;
  /** Whether the scope that waits holds the object itself. */
  isHeldAround(): boolean;
}

/** A wait among the holds of its client. */
export interface Placed {
  /** What it waits for. */
  readonly name: string;
  readonly surroundings: Surroundings | undefined;
}

/** A task of a circle. */
export interface Link {
  readonly has: string;
  readonly waitsFor: string;
}

/** So many waits are followed in the search for one circle, each of which is compared with all others. */
const FOLLOWED_MAX = 50;

/** How a wait was found: `by` waits for the end of `hold`, which this one has. */
interface Step {
  readonly by: Placed;
  readonly hold: HoldInScope;
}

/**
 * The shortest circle of tasks of this client that wait for each other, from `start` on: each waits for what the
 * next one has. Holds without a scope belong to no task that is known, and holds of other clients neither.
 */
export function circleOf(start: Placed, waits: Iterable<Placed>): Link[] | undefined {
  const all = [...waits];
  const found = new Map<Placed, Step>();
  const open = [start];
  for (const by of open) {
    for (const wait of all) {
      const hold = found.has(wait) ? undefined : holdInTheWay(by, wait);
      if (hold !== undefined) {
        found.set(wait, { by, hold });
        if (wait === start) {
          return linksFrom(start, found);
        }
        open.push(wait);
      }
    }
    if (open.length > FOLLOWED_MAX) {
      return undefined;
    }
  }
  return undefined;
}

/** Returns the hold that one wait has and another one waits for. */
function holdInTheWay(
  { surroundings: behind }: Placed,
  { surroundings }: Placed,
): HoldInScope | undefined {
  for (const { hold } of (behind && surroundings?.holds) ?? []) {
    if (hold !== undefined && behind?.isBehind(hold) === true) {
      return hold;
    }
  }
  return undefined;
}

function linksFrom(start: Placed, found: ReadonlyMap<Placed, Step>): Link[] {
  const links: Link[] = [];
  let wait = start;
  for (let step = found.get(wait); step !== undefined; step = found.get(wait)) {
    links.unshift({ has: step.hold.lockName, waitsFor: wait.name });
    wait = step.by;
    if (wait === start) {
      break;
    }
  }
  // The last one of the way back is the first of the circle.
  return [...links.slice(-1), ...links.slice(0, -1)];
}
