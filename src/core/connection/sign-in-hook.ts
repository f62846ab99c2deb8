import { withNextTick } from '../base/natives.js';
import type { Credentials } from '../base/credentials-options.js';
import type { Address, ConnectionOptions, DriverRedis } from './driver-types.js';

/** Gives the credentials for a server. */
export type Ask = (address: Address) => Promise<Credentials>;

type Step = (...args: unknown[]) => unknown;

/**
 * Lets a connection of the driver sign in with credentials that are asked for when the address of its server is known:
 * of a Sentinel group when a sentinel has named the master. The driver reads what it signs in with from `condition`
 * once the socket is open.
 */
export function signInWith(driver: DriverRedis, options: ConnectionOptions, ask: Ask): void {
  const connector: unknown = Reflect.get(driver, 'connector');
  const signIn = async (address: Address): Promise<void> => {
    const { username, password } = await ask(address);
    const condition: unknown = Reflect.get(driver, 'condition');
    if (!(condition instanceof Object)) {
      throw new Error('this version of ioredis cannot be given credentials');
    }
    Reflect.set(condition, 'auth', username === undefined ? password : [username, password]);
  };
  const resolve = stepOf(connector, 'resolve');
  if (stepOf(connector, 'connectToSentinel') !== undefined && resolve !== undefined) {
    setStep(connector, 'resolve', async (...args) => {
      const found = await Reflect.apply(resolve, connector, args);
      if (isAddress(found)) {
        await signIn({ host: found.host, port: found.port });
      }
      return found;
    });
    return;
  }
  const connect = stepOf(connector, 'connect');
  setStep(connector, 'connect', async (...args) => {
    await signIn(addressIn(options));
    return await withNextTick(() => connect && Reflect.apply(connect, connector, args));
  });
}

/** Where options lead to, without Sentinel; a socket of the machine has the port 0. */
function addressIn({ host, port, path }: ConnectionOptions): Address {
  return typeof path === 'string' && path !== ''
    ? { host: path, port: 0 }
    : { host: host ?? 'localhost', port: port ?? 6379 };
}

function isAddress(value: unknown): value is Address {
  return value instanceof Object && typeof Reflect.get(value, 'host') === 'string';
}

function isStep(value: unknown): value is Step {
  return typeof value === 'function';
}

function stepOf(connector: unknown, name: string): Step | undefined {
  const step: unknown = connector instanceof Object ? Reflect.get(connector, name) : undefined;
  return isStep(step) ? step : undefined;
}

function setStep(connector: unknown, name: string, step: Step): void {
  if (connector instanceof Object) {
    Reflect.set(connector, name, step);
  }
}
