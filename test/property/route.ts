// The way of one client to the server, and what goes wrong on it.

import { eventually } from '../support/eventually.js';
import { startProxy, type HoldHandle, type Proxy, type ProxyConnection } from '../support/proxy.js';

/** Which connections of a client are meant. */
export type Which = 'normal' | 'pubsub' | 'all';

/** Towards the server, back from it, or both. */
export type Direction = 'up' | 'down' | 'both';

/** A command whose first copy waits on the way, while the client has sent it again. */
interface Late {
  readonly handle: HoldHandle;
  connection: ProxyConnection | undefined;
}

const isScript = ([name = '']: string[]): boolean => /^eval/i.test(name);

function isOneOf(which: Which): (connection: ProxyConnection) => boolean {
  return ({ isSubscriber }) => which === 'all' || (which === 'pubsub') === isSubscriber;
}

export class Route {
  readonly url: string;
  readonly #proxy: Proxy;
  readonly #armed: (() => void)[] = [];
  #late: Late[] = [];
  #wasCut = false;
  /** The subscribers that were cut since their client was last known to listen. */
  #cutOff: ProxyConnection[] = [];

  constructor(proxy: Proxy) {
    this.#proxy = proxy;
    this.url = proxy.url;
  }

  /** True once it was cut while something may have been under way: whoever sends a release again,
   * and is told that there is nothing to release, takes it for done by the first copy. */
  get wasCut(): boolean {
    return this.#wasCut;
  }

  /** Another client takes this route, of which nothing has been cut. */
  renew(): void {
    this.#wasCut = false;
    this.#cutOff = [];
  }

  /** True since its messages were cut, until it is known to listen again: others may get what its
   * client waits for meanwhile. */
  get isCutOff(): boolean {
    return this.#cutOff.length > 0;
  }

  /** True once the server can know that what was cut is gone. */
  get cutReachedServer(): boolean {
    return this.#cutOff.every(({ reachesServer }) => !reachesServer);
  }

  /** Its client was seen among the subscribers of the server, after `cutReachedServer`. */
  seenListening(): void {
    this.#cutOff = [];
  }

  /** The server runs the next script, and the client never hears of it: it will send it again. */
  loseNextAnswer(): void {
    const losing = this.#proxy.cutReplyAfter(isScript);
    this.#wasCut = true;
    this.#armed.push(() => losing.cancel());
  }

  /** The next script is stopped on its way and sent again; its first copy runs at `deliver`. */
  repeatNext(): void {
    this.#wasCut = true;
    const late: Late = {
      connection: undefined,
      handle: this.#proxy.holdRequests((command, connection) => {
        if (late.connection !== undefined || !isScript(command)) {
          return false;
        }
        late.connection = connection;
        setImmediate(() => connection.cut());
        return true;
      }),
    };
    this.#late.push(late);
  }

  /** What was stopped on its way runs now, late: true if there was anything. */
  async deliver(): Promise<boolean> {
    const stopped = this.#late.filter(({ connection }) => connection !== undefined);
    this.#late = this.#late.filter((late) => !stopped.includes(late));
    await eventually(() => stopped.every(({ connection }) => connection?.isOpen === false));
    for (const { handle } of stopped) {
      handle.release();
    }
    await eventually(() => stopped.every(({ connection }) => connection?.reachesServer === false));
    return stopped.length > 0;
  }

  /** Everything takes so much longer from now on, in each direction. */
  delay(ms: number): void {
    this.#proxy.delay({ upMs: ms, downMs: ms });
  }

  cut(which: Which): void {
    this.#wasCut = true;
    const chosen = this.#proxy.connections().filter(isOneOf(which));
    this.#cutOff.push(...chosen.filter(({ isSubscriber }) => isSubscriber));
    this.#proxy.cutAll(isOneOf(which));
  }

  /** Whatever the open connections carry in a direction is lost from now on, and nobody is told. */
  swallow(which: Which, direction: Direction): ProxyConnection[] {
    const chosen = this.#proxy.connections().filter(isOneOf(which));
    for (const { up, down } of chosen) {
      up.swallows ||= direction !== 'down';
      down.swallows ||= direction !== 'up';
    }
    return chosen;
  }

  /** Nothing arrives in a direction, until `resume()` or `mend()`: then everything does. */
  holdBack(direction: 'up' | 'down'): void {
    if (direction === 'up') {
      this.#proxy.pauseUpstream();
    } else {
      this.#proxy.pauseDownstream();
    }
  }

  resume(direction: 'up' | 'down'): void {
    if (direction === 'up') {
      this.#proxy.resumeUpstream();
    } else {
      this.#proxy.resumeDownstream();
    }
  }

  /** New connections are refused, until `reachable()` or `mend()`, and open ones are cut. */
  unreachable(): void {
    this.#proxy.refuse();
    this.cut('all');
  }

  async reachable(): Promise<void> {
    await this.#proxy.accept();
  }

  /** The connections that the client keeps open. */
  connections(): ProxyConnection[] {
    return this.#proxy.connections().filter(({ isOpen }) => isOpen);
  }

  /** Those that are closed, too. */
  everyConnection(): ProxyConnection[] {
    return this.#proxy.everyConnection();
  }

  async close(): Promise<void> {
    await this.#proxy.close();
  }

  /** Nothing goes wrong any more, and what was stopped on its way has run. A connection that has
   * swallowed something goes on doing so: only its client can end it. */
  async mend(): Promise<void> {
    for (const cancel of this.#armed.splice(0)) {
      cancel();
    }
    this.delay(0);
    this.resume('up');
    this.resume('down');
    await this.reachable();
    await this.deliver();
    for (const { handle } of this.#late.splice(0)) {
      handle.release();
    }
  }
}

export async function startRoute(target: { host: string; port: number }): Promise<Route> {
  return new Route(await startProxy({ target }));
}
