// The way of one client to the server, and what goes wrong on it.

import { eventually } from '../support/eventually.js';
import { startProxy, type HoldHandle, type Proxy, type ProxyConnection } from '../support/proxy.js';

/** Which connections of a client are meant. */
export type Which = 'normal' | 'pubsub' | 'all';

/** A command whose first copy waits on the way, while the client has sent it again. */
interface Late {
  readonly handle: HoldHandle;
  connection: ProxyConnection | undefined;
}

const isScript = ([name = '']: string[]): boolean => /^eval/i.test(name);

export class Route {
  readonly url: string;
  readonly #proxy: Proxy;
  readonly #armed: (() => void)[] = [];
  #late: Late[] = [];
  #wasCut = false;

  constructor(proxy: Proxy) {
    this.#proxy = proxy;
    this.url = proxy.url;
  }

  /** True once it was cut while something may have been under way: whoever sends a release again,
   * and is told that there is nothing to release, takes it for done by the first copy. */
  get wasCut(): boolean {
    return this.#wasCut;
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
    this.#proxy.cutAll(
      ({ isSubscriber }) => which === 'all' || (which === 'pubsub') === isSubscriber,
    );
  }

  /** Nothing goes wrong any more, and what was stopped on its way has run. */
  async mend(): Promise<void> {
    for (const cancel of this.#armed.splice(0)) {
      cancel();
    }
    this.delay(0);
    await this.deliver();
    this.#wasCut = false;
    for (const { handle } of this.#late.splice(0)) {
      handle.release();
    }
  }
}

export async function startRoute(target: { host: string; port: number }): Promise<Route> {
  return new Route(await startProxy({ target }));
}
