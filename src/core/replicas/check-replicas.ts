import { checkChoice, checkInteger } from '../base/arguments.js';
import { checkOptions, type OptionSet } from '../base/options.js';
import type { CheckedReplicas, ReplicasOptions } from '../base/replicas-options.js';

const MIN_MAX = 100;
const TIMEOUT_MAX_MS = 60_000;

const OPTIONS: OptionSet = {
  of: 'replicas',
  known: ['min', 'timeoutMs', 'onShortfall'],
  elsewhere: { waitMs: 'the acquisition takes it, and timeoutMs limits the wait for replicas' },
};

/** Checks the option `replicas`, where there is one; else returns those of the client. */
export function checkReplicas(
  options: object,
  ofClient?: CheckedReplicas,
): CheckedReplicas | undefined {
  const { replicas } = options as { replicas?: unknown };
  if (replicas === undefined) {
    return ofClient;
  }
  const given: Partial<ReplicasOptions> = checkOptions('replicas', replicas, OPTIONS);
  const { min, timeoutMs, onShortfall = 'undo' } = given;
  return {
    min: checkInteger('replicas.min', min, 1, MIN_MAX),
    timeoutMs: checkInteger('replicas.timeoutMs', timeoutMs, 1, TIMEOUT_MAX_MS),
    onShortfall: checkChoice('replicas.onShortfall', onShortfall, ['undo', 'keep']),
  };
}
