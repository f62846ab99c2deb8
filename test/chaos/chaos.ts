// One seed from its beginning to its end.
//
// A seed gives the same acts and the same faults each time; how long the machine takes for each of
// them is not in its hands, so that a rare failure may need several runs of its seed.

import { checkCalls } from './checks/calls.js';
import { checkExclusion } from './checks/exclusion.js';
import { checkLatchWaits } from './checks/latches.js';
import { checkLosses } from './checks/losses.js';
import { checkHandles, checkPermits } from './checks/permits.js';
import { checkTokens } from './checks/tokens.js';
import {
  awaitLanes,
  checkNumbers,
  checkResidue,
  closeClients,
  initialOf,
  visitAll,
} from './ending.js';
import { faultPlan } from './fault-plan.js';
import { Faults } from './faults.js';
import { Lane } from './lane.js';
import { anyAct, type Act } from './plan.js';
import { Processes } from './processes.js';
import { relay, watchRelay } from './relay.js';
import { Random } from '../../src/testing/random.js';
import { CLIENTS, openScene, START, type Scene } from './scene.js';
import { has, profileOf } from './seeds.js';
import type { OwnServer } from '../support/server.js';

/** How long things go wrong. */
const TROUBLE_MS = 3_000;
const LANES = 4;
const ACTS = 250;

/** Plans and plays a seed; all that was told to callers is in the history of the scene. */
export async function play(seed: number, server: OwnServer): Promise<Scene> {
  const random = new Random(seed);
  const profile = profileOf(seed);
  const plans = Array.from({ length: CLIENTS * LANES }, (_, i) => {
    const own = random.fork();
    const role = { isFleeting: i % CLIENTS === CLIENTS - 1 };
    return Array.from({ length: ACTS }, (): Act => anyAct(own, role));
  });
  const faults = faultPlan(random.fork(), CLIENTS, TROUBLE_MS, profile);

  const scene = await openScene(seed, server, profile);
  const processes = profile.hasProcesses ? await Processes.start(scene, seed) : undefined;
  scene.recorder.start();
  const watching = has('regrown') ? setInterval(() => void watchRegrown(scene), 40) : undefined;
  const lanes = plans.map(async (acts, i) => {
    await new Lane(scene, i % CLIENTS, Math.floor(i / CLIENTS)).run(acts);
  });
  const running = Promise.all(lanes);
  let isOver = false;
  const relaying = Promise.all([
    relay(scene, random.fork(), () => isOver),
    watchRelay(scene, () => isOver),
  ]);
  await new Faults(scene, processes).run(faults, TROUBLE_MS);
  scene.isEnding = true;
  await Promise.all([awaitLanes(scene, running), processes?.end()]);
  clearInterval(watching);
  isOver = true;
  await relaying;
  await visitAll(scene);
  await checkNumbers(scene);
  await closeClients(scene);
  await running;
  scene.recorder.stop();
  await checkResidue(scene);
  judge(scene);
  await scene.close();
  return scene;
}

/** What was told, against what may be told. */
function judge(scene: Scene): void {
  const { history } = scene;
  checkExclusion(history);
  checkPermits(history, initialOf(scene));
  if (!scene.wasFlushed) {
    checkHandles(history, initialOf(scene));
  }
  checkTokens(history);
  checkLatchWaits(history, scene.latchWaits);
  if (has('bounds')) {
    checkCalls(history);
  }
  checkLosses(scene);
}

/** Of permits that are only ever set to a number, there are never more. */
async function watchRegrown({ raw, names, history }: Scene): Promise<void> {
  const value = Number(await raw.get(names.regrown).catch(() => 0));
  if (value > START.regrown) {
    const text = `${value} permits are left, and only ${START.regrown} were ever set`;
    history.violated('never more permits than there are', names.regrown, text);
  }
}
