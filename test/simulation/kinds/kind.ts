// The contract of a kind of object with the simulation: one entry in the registry.

import type { Random } from '../../../src/testing/random.js';
import type { Claim, Kind, Mode, Operation } from '../history.js';
import type { NewOperation, Recorder } from '../recorder.js';
import type { SimulatedClient, World } from '../world.js';
import type { FlowTerms } from './terms.js';

class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** Somebody in a client who does one thing after the other. */
export class User {
  readonly world: World;
  readonly client: SimulatedClient;
  /** As in `client.place`. */
  readonly name: string;
  #turns = 0;

  constructor(world: World, client: SimulatedClient, name: string) {
    this.world = world;
    this.client = client;
    this.name = name;
  }

  get recorder(): Recorder {
    return this.world.recorder;
  }

  /** A name that no owner had before. */
  newOwner(): string {
    this.#turns += 1;
    return `${this.name}#${this.#turns}`;
  }

  async sleep(ms: number): Promise<void> {
    await this.world.sleep(this.client, ms);
  }

  /** Aborted so many ms from now, if at all; every second time in a listener of the next event after that. */
  signal(operations: readonly Operation[], abortMs: number | undefined): AbortSignal | undefined {
    if (abortMs === undefined) {
      return undefined;
    }
    const controller = new AbortController();
    const abort = (): void => {
      for (const operation of operations) {
        if (operation.returnedAt === Number.POSITIVE_INFINITY) {
          operation.abortedAt = this.world.timeline.now;
        }
      }
      controller.abort(new Aborted());
    };
    this.client.process.userClock.after(abortMs, () => {
      if (abortMs % 2 === 0) {
        abort();
      } else {
        const event = (['acquired', 'released', 'lost'] as const)[abortMs % 3];
        this.client.client.once(event ?? 'acquired', abort);
      }
    });
    return controller.signal;
  }
}

/** What a user is going to do: data, made from the seed. */
export interface Act {
  readonly do: string;
}

/** One kind of object. `docs/design/proof.md` says what a new one needs beside an entry in `index.ts`. */
export interface KindOfObject<A extends Act = Act> {
  readonly kind: Kind;
  /** Keys that may stay when all clients are closed and all leases have ended. */
  readonly stays: RegExp;
  /** Of how many independent servers a majority has it: in each run so many. */
  readonly servers?: readonly number[];
  /** Its names are in several slots, of which a cluster of a run moves one. */
  readonly inCluster?: boolean;
  /** Before anybody does anything. */
  prepare(user: User, object: string): Promise<void>;
  /** Something that a user may do; `leaseMs` is the lease of a client. */
  act(random: Random, leaseMs: number): A;
  /** The same where many users of a client ask for it again and again; `isTight`: they stay for no time at
   * all. */
  readonly crowdAct?: (random: Random, isTight: boolean) => A;
  /** The same where one client asks all the time, beside others that take turns. */
  readonly flowAct?: (random: Random, given: FlowTerms) => A;
  /** One of many users of a client that can get in together. */
  readonly sharedAct?: (random: Random) => A;
  perform(user: User, object: string, act: A): Promise<void>;
  /** Frees the object by force, where that can be. */
  readonly force?: A;
  /** Shows what the object is like when everybody is through and all is well again. */
  readonly probe: A;
}

/** Extends a lease: from now on it runs for so long, unless that is refused. */
export async function extend(
  user: User,
  claims: readonly Claim[],
  held: { extend: (leaseMs: number) => Promise<void> },
  leaseMs: number,
): Promise<void> {
  const given = claims.map(({ object, kind, mode, owner }) =>
    operationOf(user, object, kind, 'extend', { mode, owner }),
  );
  const { operations } = await user.recorder.callAll(given, async () => await held.extend(leaseMs));
  const isExtended = operations.every(({ outcome }) => outcome === 'ok' || outcome === 'unknown');
  for (const claim of isExtended ? claims : []) {
    user.recorder.extended(claim, leaseMs);
  }
}

/** The parts of an operation that its kind knows. */
export function operationOf(
  user: User,
  object: string,
  kind: Kind,
  action: NewOperation['action'],
  more: Partial<NewOperation> = {},
): NewOperation {
  return {
    object,
    kind,
    action,
    mode: 'exclusive' satisfies Mode,
    client: user.client.number,
    owner: user.name,
    amount: 1,
    waits: false,
    waitMs: undefined,
    ...more,
  };
}
