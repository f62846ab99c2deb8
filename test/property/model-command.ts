// What all models have in common: the form of a command, and what goes wrong on the way.

import { expect } from 'vitest';
import { fc } from '../support/fast-check.js';
import { LeaseLostError } from '../../src/index.js';
import type { Route } from './route.js';
import { CLIENTS, type World } from './world.js';

export type ModelCommand<M extends object, R extends World> = fc.AsyncCommand<M, R>;
export type Act<M, R> = (model: M, real: R) => Promise<void> | void;

type CommandOf<M extends object, R extends World> = (
  label: string,
  act: Act<M, R>,
  can?: (model: M) => boolean,
) => ModelCommand<M, R>;

/** Makes commands that do something and then check everything. */
export function commandsWith<M extends object, R extends World>(check: Act<M, R>): CommandOf<M, R> {
  return (label, act, can = () => true) => ({
    check: can,
    run: async (model, real) => {
      await act(model, real);
      await check(model, real);
    },
    toString: () => label,
  });
}

/** One of the clients. */
export const anyClient: fc.Arbitrary<number> = fc.nat(CLIENTS - 1);

/** Picks one of many things, whatever their number will be. */
export const pick: fc.Arbitrary<number> = fc.nat(20);

/** Whose network is in trouble: one client's, or everybody's. */
const anyRoutes = fc.constantFrom([0], [1], [2], [0, 1, 2], [0, 1, 2]);

/** What networks and servers do; none of it may change what an object means. */
export function faults<M extends object, R extends World>(
  command: CommandOf<M, R>,
): fc.Arbitrary<ModelCommand<M, R>>[] {
  const onRoutes = (
    label: string,
    act: (route: Route) => Promise<unknown> | void,
  ): fc.Arbitrary<ModelCommand<M, R>> =>
    anyRoutes.map((which) =>
      command(`${label}(${which.join('+')})`, async (_, { routes }) => {
        await Promise.all(which.map(async (i) => await act(routes[i]!)));
      }),
    );
  return [
    onRoutes('loseNextAnswer', (route) => route.loseNextAnswer()),
    onRoutes('loseNextAnswer', (route) => route.loseNextAnswer()),
    onRoutes('repeatNext', (route) => route.repeatNext()),
    onRoutes('repeatNext', (route) => route.repeatNext()),
    onRoutes('deliver', async (route) => await route.deliver()),
    ...[0, 15].map((ms) => onRoutes(`delay ${ms}`, (route) => route.delay(ms))),
    ...(['normal', 'pubsub', 'all'] as const).map((which) =>
      onRoutes(`cut ${which}`, (route) => route.cut(which)),
    ),
    fc.constant(
      command('flushScripts', async (_, real) => {
        real.hasForgottenScripts = true;
        await real.raw.script('FLUSH');
      }),
    ),
  ];
}

/** What was stopped on its way runs before something is taken away by force: afterwards it could
 * bring it back. */
export async function deliverAll({ routes }: World): Promise<void> {
  await Promise.all(routes.map(async (route) => await route.deliver()));
}

/** True when the release of something doomed was told so; false when it was sent twice, and so was
 * taken for done. */
export async function isToldOfLoss(
  releasing: Promise<void>,
  { routes }: World,
  client: number,
): Promise<boolean> {
  try {
    await releasing;
  } catch (error) {
    expect(error).toBeInstanceOf(LeaseLostError);
    return true;
  }
  expect(routes[client]!.wasCut, 'released, though it was lost').toBe(true);
  return false;
}

/** Waits until what a client sent before has been answered: its connection keeps the order, and what
 * it sends again after a cut comes before the second question. */
export async function quiet(ask: () => Promise<unknown>): Promise<void> {
  await ask();
  await ask();
}

/** Lets what is under way come so far. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
