import { ChurnMap } from '../core/base/churn-map.js';
import { Linked, LinkedList } from '../core/base/linked-list.js';
import type { Claim } from './claim.js';
import type { Refused } from './round.js';

/** The waiters of one client for the same names, in the order of their calls: only the first of them asks. */
export class Line {
  /** What the last attempt that was refused has shown: so it is for all of them. */
  outcome: Refused | undefined;
  /** How often in a row waiters of this client got in, while nobody else was found to have it. */
  turns = 0;
  readonly #places = new LinkedList<Place>();
  readonly #emptied: () => void;

  constructor(emptied: () => void) {
    this.#emptied = emptied;
  }

  /** `resource`: the names, as the waiter knows them. */
  join(resource: string): Place {
    const place = new Place(this, resource);
    this.#places.push(place);
    return place;
  }

  get size(): number {
    return this.#places.size;
  }

  isFirst(place: Place): boolean {
    return this.#places.first === place;
  }

  /** What gives a claim to the first of them; undefined where that one cannot take it. */
  takerOf(claim: Claim): Take | undefined {
    return this.#places.first?.takerOf(claim);
  }

  leave(place: Place): void {
    const wasFirst = this.isFirst(place);
    if (!this.#places.delete(place)) {
      return;
    }
    const { first } = this.#places;
    if (first === undefined) {
      this.#emptied();
    } else if (wasFirst) {
      first.becameFirst();
    }
  }
}

/** Makes a hold of a claim that this client has, at once. */
export type Take = (claim: Claim) => void;

/** A place in a line. */
export class Place extends Linked {
  readonly line: Line;
  readonly #resource: string;
  #take: Take | undefined;
  /** Called when it has become the first. */
  becameFirst: () => void = () => {};

  constructor(line: Line, resource: string) {
    super();
    this.line = line;
    this.#resource = resource;
  }

  get isFirst(): boolean {
    return this.line.isFirst(this);
  }

  /** It takes a claim that is passed on; undefined: no more, from then on. */
  offer(take: Take | undefined): void {
    this.#take = take;
  }

  takerOf({ resource }: Claim): Take | undefined {
    return resource === this.#resource ? this.#take : undefined;
  }

  leave(): void {
    this.line.leave(this);
  }
}

type Names = readonly { readonly lockId: string }[];

/** The lines of a client, by what is waited for. */
export class Lines {
  readonly #lines = new ChurnMap<string, Line>();

  /** The line of these names, which is kept while somebody stands in it. */
  of(names: Names): Line {
    const id = idOf(names);
    const line = this.#lines.get(id) ?? new Line(() => this.#lines.delete(id));
    this.#lines.set(id, line);
    return line;
  }

  /** What gives a claim to the first waiter for all of its names; undefined where there is none that can take it. */
  takerOf(claim: Claim): Take | undefined {
    return this.#lines.size > 0 ? this.#lines.get(idOf(claim.names))?.takerOf(claim) : undefined;
  }
}

function idOf(names: Names): string {
  return names.map(({ lockId }) => lockId).join('\n');
}
