// One run, from a plan to a recorded history.

import type { Trace } from '../../src/testing/network/conditions.js';
import type { LuaEngine } from '../../src/testing/server/lua.js';
import { scheduleFaults } from './faults.js';
import type { History } from './history.js';
import { User, type KindOfObject } from './kinds/kind.js';
import type { Plan, Script } from './plan.js';
import { OBJECT, World } from './world.js';

/** All users have to be through with their steps within this time of the healing. */
const PATIENCE_MS = 300_000;

/** Then nothing is under way any more, nor left of what was given up: clean-up had its time. */
const QUIET_MS = 7_000;

/** By then all clients are connected. */
const CONNECTING_MS = 100;

/** Longer than any key of ours lives that is not to stay. */
const AFTERMATH_MS = 40 * 60_000;

export async function run(
  lua: LuaEngine,
  plan: Plan,
  kind: KindOfObject,
  trace: Trace = () => {},
): Promise<History> {
  const world = new World(lua, plan.seed, plan.terms, trace);
  const { timeline, recorder } = world;
  const through = new Set<User>();
  const users = plan.scripts.map(
    ({ client }, i) => new User(world, world.clients[client]!, `${client}.${i}`),
  );
  const [first] = users;
  let isPrepared = first === undefined;
  const start = async (): Promise<void> => {
    if (first !== undefined) {
      await kind.prepare(first, OBJECT);
    }
    isPrepared = true;
  };
  void start();
  await timeline.run(PATIENCE_MS, () => isPrepared);
  await timeline.run(timeline.now + (plan.startsCold ? 0 : CONNECTING_MS));
  const beganAt = timeline.now;
  const shifted = {
    ...plan,
    healAt: plan.healAt + beganAt,
    faults: plan.faults.map((fault) => ({ ...fault, at: fault.at + beganAt })),
  };
  world.force = (client) => {
    const user = users.find((one) => one.client.number === client);
    if (kind.force !== undefined && user?.client.isAlive === true && !user.client.isClosed) {
      void kind.perform(user, OBJECT, kind.force);
    }
  };
  scheduleFaults(world, shifted);
  plan.scripts.forEach((script, i) => {
    const user = users[i]!;
    void follow(user, script, kind).then(
      () => through.add(user),
      (error: unknown) => recorder.surprised(`a user failed: ${String(error)}`),
    );
  });
  const isOver = (): boolean => users.every((user) => through.has(user) || !user.client.isAlive);
  await timeline.run(shifted.healAt);
  await timeline.run(shifted.healAt + PATIENCE_MS, isOver);
  await timeline.run(timeline.now + QUIET_MS);
  const quietAt = timeline.now;
  // What is done by then comes before what is asked after it.
  await timeline.run(quietAt + 1);
  await probe(world, users, kind);
  const endedAt = timeline.now;
  const left = await settle(world, kind);
  return {
    seed: plan.seed,
    operations: recorder.operations,
    claims: recorder.claims,
    faults: recorder.faults,
    closings: recorder.closings,
    told: world.clients.flatMap(({ number, told }) =>
      [...told.values()].map((one) => ({ ...one, client: number })),
    ),
    fencedStore: world.fencedStore,
    openStore: world.openStore,
    healedAt: shifted.healAt,
    quietAt,
    endedAt,
    left,
    isCrowd: plan.isCrowd,
    isFlow: plan.isFlow,
    surprises: recorder.surprises,
  };
}

async function follow(user: User, { steps }: Script, kind: KindOfObject): Promise<void> {
  for (const { pauseMs, act } of steps) {
    if (pauseMs > 0) {
      await user.sleep(pauseMs);
    }
    if (user.client.isClosed) {
      return;
    }
    await kind.perform(user, OBJECT, act);
  }
}

async function probe(world: World, users: readonly User[], kind: KindOfObject): Promise<void> {
  const user = users.find(({ client }) => client.isAlive && !client.isClosed);
  let isDone = user === undefined;
  if (user !== undefined) {
    void kind.perform(user, OBJECT, kind.probe).then(() => {
      isDone = true;
    });
  }
  await world.timeline.run(world.timeline.now + PATIENCE_MS, () => isDone);
}

/** Closes everything, lets all leases end, and tells what is left. */
async function settle(world: World, kind: KindOfObject): Promise<string[]> {
  const { timeline, clients, hosts, network } = world;
  const alive = clients.filter((client) => client.isAlive);
  let closing = 0;
  for (const client of alive) {
    void world.close(client).then(() => {
      closing += 1;
    });
  }
  await timeline.run(timeline.now + PATIENCE_MS, () => closing === alive.length);
  const left: string[] = [];
  if (closing < alive.length) {
    left.push(`${alive.length - closing} clients that do not close`);
  }
  await timeline.run(timeline.now + AFTERMATH_MS);
  left.push(
    ...hosts
      .flatMap(({ server }) => server.keyspace.keys())
      .filter((key) => !kind.stays.test(key))
      .map((key) => `key ${key}`),
    ...hosts.flatMap(({ server }) => server.channels.names).map((channel) => `channel ${channel}`),
    ...network
      .open()
      .map(({ process }) => `a connection of ${process.isDead ? 'a dead' : 'a living'} process`),
  );
  for (const { process, number } of alive) {
    if (process.refs !== 0) {
      left.push(`client ${number} keeps its process alive`);
    }
  }
  if (timeline.next !== undefined) {
    left.push(`a timer that is due at ${timeline.next}`);
  }
  return left;
}
