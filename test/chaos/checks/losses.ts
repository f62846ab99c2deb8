// Each loss is told once.

import type { Scene } from '../scene.js';

/** Each hold that was lost was told so once, and no other. */
export function checkLosses(scene: Scene): void {
  const { history, recorder } = scene;
  const kinds: Readonly<Record<string, string>> = {
    lock: 'lock',
    fair: 'fair-lock',
    fenced: 'fenced-lock',
    read: 'read-lock',
    write: 'write-lock',
    permit: 'permit-expirable-semaphore',
  };
  const lost = new Map<string, number>();
  // A hold that was lost on its way into the task: it was told, and no task ever saw it.
  const unseen = new Set(
    history.calls.flatMap(({ what, outcome, client, name }) =>
      what.startsWith('using ') && outcome === 'lost' ? [`${client} ${name}`] : [],
    ),
  );
  for (const { claim, grant } of recorder.all) {
    const key = `${claim.client} ${kinds[claim.kind]} ${claim.name} ${claim.holderId}`;
    lost.set(key, (lost.get(key) ?? 0) + (grant.state === 'lost' ? 1 : 0));
  }
  for (const key of new Set([...lost.keys(), ...recorder.losses.keys()])) {
    const [holds, told] = [lost.get(key) ?? 0, recorder.losses.get(key) ?? 0];
    const [client, , name] = key.split(' ');
    if (holds > told || (holds < told && !unseen.has(`${client} ${name}`))) {
      const text = `${key}: ${holds} holds are lost, and ${told} losses were told`;
      history.violated('a loss is told once', name, text);
    }
  }
}
