// One caller: does what its plan says, one act after the other.

import { setTimeout as delay } from 'node:timers/promises';
import { performLock } from './acts/lock.js';
import { crowd, force, look } from './acts/others.js';
import { othersPermit, performPermits, resize } from './acts/permits.js';
import { performLatch } from './acts/latch.js';
import { ledger, performSemaphore, regrow } from './acts/semaphore.js';
import type { Act } from './plan.js';
import type { Live } from './recorder.js';
import { callers, type Member, type Scene } from './scene.js';

/** A pause between acts that the server refuses at once, so that some are left for later. */
const REFUSED_REST_MS = 20;

export class Lane {
  readonly scene: Scene;
  readonly place: number;
  readonly actor: string;
  /** Work that nobody waits for, until the end. */
  readonly background = new Set<Promise<void>>();

  constructor(scene: Scene, place: number, number: number) {
    this.scene = scene;
    this.place = place;
    this.actor = `c${place}/${number}`;
  }

  async run(acts: readonly Act[]): Promise<void> {
    await callers.run(this.actor, async () => {
      for (const act of acts) {
        if (this.scene.isEnding) {
          break;
        }
        await this.perform(act, this.scene.members[this.place]!, []);
        if (this.scene.isFull) {
          await delay(REFUSED_REST_MS);
        }
      }
      while (this.background.size > 0) {
        await Promise.all(this.background);
      }
    });
  }

  leave(work: Promise<void>): void {
    const done = work.finally(() => this.background.delete(done));
    this.background.add(done);
  }

  /** @param scope the holds around this act, the innermost last */
  async perform(act: Act, member: Member, scope: readonly Live[]): Promise<void> {
    const at: At = { lane: this, scene: this.scene, member, scope };
    switch (act.do) {
      case 'lock':
        return await performLock(at, act);
      case 'permits':
        return await performPermits(at, act);
      case 'semaphore':
        return await performSemaphore(at, act);
      case 'regrow':
        return await regrow(at, act);
      case 'ledger':
        return await ledger(at, act);
      case 'resize':
        return await resize(at, act.delta);
      case 'others permit':
        return await othersPermit(at, act);
      case 'force':
        return await force(at, act);
      case 'count down':
      case 'latch set':
      case 'latch down':
      case 'latch delete':
      case 'latch wait':
        return await performLatch(at, act);
      case 'crowd':
        return await crowd(at, act);
      case 'look':
        return await look(at, act.kind);
      case 'rest':
        await delay(act.ms);
    }
  }
}

/** Where in the program an act is performed, and by whom. */
export interface At {
  readonly lane: Lane;
  readonly scene: Scene;
  readonly member: Member;
  readonly scope: readonly Live[];
}
