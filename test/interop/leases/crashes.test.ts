// Scenario 5: a holder of one side is killed, or frozen for longer than its lease, while one of the
// other side waits.

import { expect, test, type TestContext } from 'vitest';
import type { Hold, Permit } from '../../../src/index.js';
import { listening } from '../../faults/world.js';
import { startWorker, type Worker } from '../../support/processes.js';
import { redisUrl } from '../../support/redis.js';
import { JavaProgram } from '../support/java.js';
import { expectAfter, LONG_MS } from '../support/lease-order.js';
import {
  idOf,
  leasedKinds,
  permitKind,
  prepare,
  state,
  untouched,
  type JavaGrant,
  type Lease,
  type LeasedKind,
  type State,
} from '../support/leased-kinds.js';
import { interopWorlds, type World } from '../support/world.js';

const open = interopWorlds('crashes');

/** Renewed as long as the holder runs, on a busy machine too. */
const LEASE_MS = 3_000;
/** Nobody renews a permit of Java: it must last until everybody waits. */
const PERMIT_MS = 8_000;

/** What a process knows of what it holds no more. */
const GONE = { isHeld: false, aborted: true, reason: 'ERR_LEASE_LOST', state: 'lost' };

/** One object, and who has it. */
interface Scene<Holder> {
  readonly kind: LeasedKind;
  readonly world: World;
  readonly holder: Holder;
}

/** Somebody of the other side who waits for it. */
interface Waiter<Holder, Grant> extends Scene<Holder> {
  readonly entered: Promise<Grant>;
}

/** An object of each kind, all held at once. */
async function scenes<Holder>(
  context: TestContext,
  hold: (kind: LeasedKind, name: string) => Promise<Holder>,
): Promise<Scene<Holder>[]> {
  return await Promise.all(
    leasedKinds.map(async (kind) => {
      const world = await open(context);
      await prepare(kind, world.node, world.name);
      return { kind, world, holder: await hold(kind, world.name) };
    }),
  );
}

/** One Java program holds them all. */
async function heldByJava(context: TestContext): Promise<[JavaProgram, Scene<JavaGrant>[]]> {
  const program = JavaProgram.start();
  const client = await program.open({ url: redisUrl(), leaseMs: LEASE_MS });
  const held = await scenes(context, async (kind, name) => {
    const args = kind === permitKind ? { leaseMs: PERMIT_MS } : {};
    return await kind.java.enter(client.thread(kind.what), name, args);
  });
  return [program, held];
}

/** A process of Node holds each. */
async function heldByNode(context: TestContext): Promise<Scene<Worker>[]> {
  return await scenes(context, async ({ what }, name) => {
    const worker = startWorker('holder', { args: [redisUrl(), name, String(LEASE_MS), what] });
    await worker.message('held', { withinMs: 20_000 });
    return worker;
  });
}

async function nodeWaits<H>(scene: Scene<H>): Promise<Waiter<H, Hold | Permit>> {
  const { kind, world } = scene;
  const entered = kind.rival.node(world.node, world.name).acquire({ leaseMs: LONG_MS });
  await listening(world.name);
  return { ...scene, entered };
}

async function javaWaits<H>(scene: Scene<H>): Promise<Waiter<H, JavaGrant>> {
  const { kind, world } = scene;
  const thread = world.java.thread('waiter');
  const entered = kind.rival.java.enter(thread, world.name, { leaseMs: LONG_MS });
  await listening(world.name);
  return { ...scene, entered };
}

const leaseOf = async ({ kind, world }: Scene<unknown>): Promise<Lease> =>
  await kind.lease(world.raw, world.name);
const stateOf = async ({ kind, world }: Scene<unknown>): Promise<State> =>
  await state(kind, world.raw, world.name);

/** The holders have just failed: everybody gets in when the lease of his has ended, not before. */
async function allGetIn<H, G>(
  waiters: Waiter<H, G>[],
): Promise<(Scene<H> & { grant: G; before: State })[]> {
  const leases = await Promise.all(waiters.map(leaseOf));
  return await Promise.all(
    waiters.map(async (waiter, i) => {
      const grant = await waiter.entered;
      expectAfter(await leaseOf(waiter), leases[i] as Lease, waiter.kind.what);
      return { ...waiter, grant, before: await stateOf(waiter) };
    }),
  );
}

test('a Java program is killed: Node gets in when its leases have ended', async (context) => {
  const [program, held] = await heldByJava(context);
  const waiters = await Promise.all(held.map(nodeWaits));

  await program.kill();

  for (const { kind, world, grant } of await allGetIn(waiters)) {
    expect(await kind.inside(world.name), kind.what).toEqual([idOf(grant)]);
    await grant.release();
  }
});

test('processes of Node are killed: Java gets in when their leases have ended', async (context) => {
  const held = await heldByNode(context);
  const waiters = await Promise.all(held.map(javaWaits));

  await Promise.all(held.map(async ({ holder }) => await holder.kill()));

  for (const { kind, world, grant } of await allGetIn(waiters)) {
    expect(await kind.inside(world.name), kind.what).toEqual([grant.id]);
    await grant.leave();
  }
});

test('a Java program is frozen: what it does late harms nobody who got in', async (context) => {
  const [program, held] = await heldByJava(context);
  const waiters = await Promise.all(held.map(nodeWaits));

  program.signal('SIGSTOP');
  const successors = await allGetIn(waiters);
  // What it reads first when it runs again.
  const leaving = held.map(async ({ holder }) => await holder.leave());
  const left = Promise.allSettled(leaving);
  program.signal('SIGCONT');

  expect(await left).toMatchObject(
    held.map(({ kind }) => ({ status: 'rejected', reason: { type: kind.refusal } })),
  );
  for (const scene of successors) {
    const { kind, world, grant, before } = scene;
    expect(await stateOf(scene), kind.what).toEqual(untouched(before));
    expect(await kind.inside(world.name), kind.what).toEqual([idOf(grant)]);
    expect(grant.isHeld, kind.what).toBe(true);
    await grant.release();
  }
  await program.kill();
});

test('processes of Node are frozen: they know of their loss, and harm nobody', async (context) => {
  const held = await heldByNode(context);
  const waiters = await Promise.all(held.map(javaWaits));

  for (const { holder } of held) {
    holder.signal('SIGSTOP');
  }
  for (const scene of await allGetIn(waiters)) {
    const { kind, world, holder, grant, before } = scene;
    holder.send({ type: 'look' });
    holder.send({ type: 'release' });
    holder.signal('SIGCONT');

    expect(await holder.message('looked'), kind.what).toMatchObject(GONE);
    expect(await holder.message('released'), kind.what).toMatchObject({
      error: 'LeaseLostError',
      lostEvents: 1,
    });
    await holder.kill();
    expect(await stateOf(scene), kind.what).toEqual(untouched(before));
    expect(await kind.inside(world.name), kind.what).toEqual([grant.id]);
    await grant.leave();
  }
});
