import { expect, test } from 'vitest';
import { fc } from '../support/fast-check.js';
import { Alarm } from '../../src/core/base/alarm.js';
import { fakeClock, type FakeClock } from '../support/fake-clock.js';

interface Stage {
  readonly clock: FakeClock;
  readonly alarm: Alarm;
  readonly row: number[];
  /** Each deadline that fell due, and when. */
  readonly told: { readonly deadline: number; readonly at: number }[];
  readonly add: (delayMs: number) => void;
}

/** An alarm over deadlines at any distance. `onDue` runs with each that falls due. */
function stage(onDue: (stage: Stage) => void = () => {}): Stage {
  const clock = fakeClock();
  const row: number[] = [];
  const told: Stage['told'] = [];
  const alarm = new Alarm(clock, {
    get earliest() {
      return row.length === 0 ? undefined : Math.min(...row);
    },
    due() {
      const deadline = Math.min(...row);
      row.splice(row.indexOf(deadline), 1);
      told.push({ deadline, at: clock.now() });
      onDue(made);
    },
  });
  const add = (delayMs: number): void => {
    row.push(clock.now() + delayMs);
    alarm.added(clock.now() + delayMs);
  };
  const made: Stage = { clock, alarm, row, told, add };
  return made;
}

test('a deadline that is added while another is judged delays nobody', () => {
  const { clock, add, told } = stage();
  clock.holdInput();
  add(50);
  add(51);

  clock.advance(50);
  add(50);
  clock.inputHandled();
  clock.advance(1);
  clock.inputHandled();

  expect(told).toEqual([
    { deadline: 1_050, at: 1_050 },
    { deadline: 1_051, at: 1_051 },
  ]);
});

test('what the input has answered is not due', () => {
  const { clock, add, row, told } = stage();
  clock.holdInput();
  add(50);

  clock.freeze(200);
  clock.advance(0);
  row.pop();
  clock.inputHandled();

  expect(told).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('what falls due between the timer and the judgement is judged after input of its own', () => {
  const { clock, add, told } = stage();
  clock.holdInput();
  add(50);
  add(80);

  clock.advance(50);
  clock.freeze(100);
  clock.inputHandled();
  const first = told.map(({ deadline }) => deadline - told[0]!.deadline);
  clock.advance(0);
  clock.inputHandled();

  expect(first).toEqual([0]);
  expect(told).toHaveLength(2);
});

test('a deadline before all others moves the timer', () => {
  const { clock, add, told } = stage();
  add(50);
  add(20);

  clock.advance(20);

  expect(told).toEqual([{ deadline: 1_020, at: 1_020 }]);
  expect(clock.pending).toBe(1);
});

test('the others are told in time though one of them fails', () => {
  const { clock, add, told } = stage(() => {
    if (told.length === 1) {
      throw new Error('mine');
    }
  });
  add(50);
  add(50);
  add(60);

  expect(() => clock.advance(50)).toThrow('mine');
  clock.advance(10);

  expect(told).toHaveLength(3);
});

test('a closed alarm has no timer', () => {
  const { clock, alarm, add } = stage();
  add(50);

  alarm.close();

  expect(clock.pending).toBe(0);
});

test('a closed alarm tells nothing, though it was about to', () => {
  const { clock, alarm, add, told } = stage();
  clock.holdInput();
  add(50);
  clock.advance(50);

  alarm.close();
  clock.inputHandled();
  add(10);
  clock.advance(100);
  clock.inputHandled();

  expect(told).toEqual([]);
  expect(clock.pending).toBe(0);
});

type Step =
  | { readonly what: 'add' | 'advance' | 'freeze'; readonly ms: number }
  | { readonly what: 'drop'; readonly which: number }
  | { readonly what: 'handle' };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      what: fc.constantFrom('add' as const, 'advance' as const, 'freeze' as const),
      ms: fc.integer({ min: 0, max: 40 }),
    }),
    fc.record({ what: fc.constant('drop' as const), which: fc.nat(20) }),
    fc.constant({ what: 'handle' as const }),
  ),
  { maxLength: 60 },
);

test('every deadline is told after it has passed, with the input that follows', () => {
  const property = fc.property(steps, fc.nat(3), (sequence, addedByDue) => {
    const { clock, add, row, told } = stage((made) => {
      if (made.told.length % 4 < addedByDue) {
        made.add(made.told.length % 7);
      }
    });
    clock.holdInput();
    let added = 0;
    for (const step of sequence) {
      if (step.what === 'add') {
        add(step.ms);
        added += 1;
      } else if (step.what === 'drop') {
        row.splice(step.which, 1);
      } else if (step.what === 'handle') {
        const now = clock.now();
        // Once for what was due when it rang, and once for what has fallen due since.
        for (let i = 0; i < 2; i += 1) {
          clock.advance(0);
          clock.inputHandled();
        }
        // What falls due by being added to a judgement waits for a timer of its own.
        expect(row.filter((deadline) => deadline < now)).toEqual([]);
      } else {
        clock[step.what](step.ms);
      }
      expect(clock.pending).toBeLessThanOrEqual(1);
    }
    expect(told.filter(({ deadline, at }) => at < deadline)).toEqual([]);
    for (let i = 0; row.length > 0 && i < 200 + added; i += 1) {
      clock.advance(10);
      clock.inputHandled();
    }
    expect(addedByDue === 0 ? row : []).toEqual([]);
  });

  fc.assert(property, { numRuns: 1_000 });
});
