import { commandOf } from './wire/call.js';
import type { NamedObject, Use } from './name-registry.js';
import type { Ending, WaitLimit } from './waiting/wait-limit.js';
import type { EndpointServices } from './endpoint-services.js';
import { namesIsCount } from './wire/scripts.generated.js';
import { translate } from './delivery/translate.js';

interface Terms {
  readonly waitLimit: WaitLimit;
}

interface Acquired {
  readonly services: EndpointServices;
  readonly protocol: NamedObject;
}

/** Starts an acquisition once it counts as a user of its object: at once, unless the server has to
 * be asked first. If it is refused, nothing is started, and its wait limit is disposed of. */
export function enterAndStart<A extends Acquired, T extends Terms, R>(
  acquired: A,
  terms: T,
  start: (acquired: A, terms: T) => Promise<R>,
): Promise<R> {
  const { services, protocol } = acquired;
  let rival: Use | undefined;
  try {
    rival = services.names.enter(protocol);
  } catch (error) {
    terms.waitLimit.dispose();
    throw error;
  }
  return rival === undefined ? start(acquired, terms) : startBehind(acquired, rival, terms, start);
}

async function startBehind<A extends Acquired, T extends Terms, R>(
  acquired: A,
  rival: Use,
  terms: T,
  start: (acquired: A, terms: T) => Promise<R>,
): Promise<R> {
  try {
    await makeWay(acquired.services, acquired.protocol, rival, terms.waitLimit);
  } catch (error) {
    terms.waitLimit.dispose();
    throw error;
  }
  return await start(acquired, terms);
}

/** Counts as a user of an object while `work` runs. `isGone` says whether its result shows that the
 * name is free now; a call that fails shows nothing. */
export async function whileInUse<T>(
  services: EndpointServices,
  object: NamedObject,
  work: () => Promise<T>,
  isGone: (result: T) => boolean,
  waitLimit?: WaitLimit,
): Promise<T> {
  services.client.assertOpen(object.resource);
  const rival = services.names.enter(object);
  let leftMs: number | undefined;
  if (rival !== undefined) {
    leftMs = await makeWayInTime(services, object, rival, waitLimit);
  }
  let gone: boolean | undefined;
  try {
    const result = await (leftMs === undefined ? work() : services.delivery.late(leftMs, work));
    gone = isGone(result);
    return result;
  } finally {
    services.names.leave(object, gone);
  }
}

/** Makes way, and returns what is left of `commandTimeoutMs`; undefined with a given wait limit. */
async function makeWayInTime(
  services: EndpointServices,
  object: NamedObject,
  rival: Use,
  given: WaitLimit | undefined,
): Promise<number | undefined> {
  if (given !== undefined) {
    await makeWay(services, object, rival, given);
    return undefined;
  }
  const { commandTimeoutMs } = services.client.settings;
  const waitLimit = services.client.waitLimit({ limitMs: commandTimeoutMs });
  try {
    await makeWay(services, object, rival, waitLimit);
    return commandTimeoutMs - (services.clock.now() - waitLimit.startedAt);
  } finally {
    waitLimit.dispose();
  }
}

/**
 * Enters the name of an object while a remembered object is in the way. That one may be gone by
 * now: counted down, deleted elsewhere, or expired. So the server is asked, within the caller's
 * wait limit, and the name is refused only if that object is still there.
 */
async function makeWay(
  services: EndpointServices,
  object: NamedObject,
  first: Use,
  waitLimit: WaitLimit,
): Promise<void> {
  const { names } = services;
  let rival: Use | undefined = first;
  while (rival !== undefined) {
    if (await isThere(services, object, rival, waitLimit)) {
      throw names.refusal(object, rival);
    }
    services.client.assertOpen(object.resource);
    names.forget(rival);
    rival = names.enter(object);
  }
}

/** Whether a remembered object is still on the server. Only a count can be: a lock without holders
 * leaves no key of its own name there. */
function isThere(
  services: EndpointServices,
  { resource }: NamedObject,
  { object: { key } }: Use,
  waitLimit: WaitLimit,
): Promise<boolean> {
  const { clock, delivery } = services;
  return new Promise((resolve, reject) => {
    const call = delivery.start(commandOf(namesIsCount, { name: key }, {}), {
      answered: (found) => {
        waitLimit.onEnd = undefined;
        resolve(found === 1);
      },
      failed: (error) => reject(translate(error, resource)),
    });
    const end = (ending: Ending): void => {
      const waitedMs = clock.now() - waitLimit.startedAt;
      const onTimeout = (): Error =>
        delivery.timeout(resource, key, call.sent, waitedMs, call.refusal);
      delivery.abandon(call);
      reject(services.client.errorOf(ending, resource, onTimeout));
    };
    waitLimit.onEnd = end;
    if (waitLimit.ending !== undefined) {
      end(waitLimit.ending);
    }
  });
}
