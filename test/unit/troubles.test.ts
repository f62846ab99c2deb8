import { expect, test } from 'vitest';
import { Troubles } from '../../src/core/observe/troubles.js';
import { fakeClock, type FakeClock } from '../support/fake-clock.js';

interface Stage {
  readonly clock: FakeClock;
  readonly troubles: Troubles;
  readonly told: string[];
  heard: boolean;
}

function stage(): Stage {
  const clock = fakeClock();
  const told: string[] = [];
  const scene: Stage = {
    clock,
    told,
    heard: false,
    troubles: new Troubles(clock, {
      isHeard: () => scene.heard,
      began: (what, { message }) => told.push(`${what}: ${message}`),
      report: (what, { message }) => told.push(`${what}: reported ${message}`),
      over: (what, lastedMs) => told.push(`${what}: over after ${lastedMs}`),
    }),
  };
  return scene;
}

const why = (message: string) => (): Error => new Error(message);

test('a trouble is told once when it has lasted a second, and once when it is over', () => {
  const { clock, troubles, told } = stage();

  troubles.down('no server', 1, why('refused'));
  clock.advance(999);
  expect(told).toEqual([]);
  clock.advance(2);
  expect(told).toEqual(['no server: refused']);
  for (let i = 0; i < 50; i += 1) {
    troubles.down('no server', 1, why('refused again'));
    clock.advance(1_000);
  }
  troubles.up('no server', 1);

  expect(told).toEqual(['no server: refused', 'no server: over after 51001']);
});

test('a trouble that passes within a second is not told, nor that it is over', () => {
  const { clock, troubles, told } = stage();

  troubles.down('no server', 1, why('reset'));
  clock.advance(900);
  troubles.up('no server', 1);
  clock.advance(10_000);

  expect(told).toEqual([]);
});

test('troubles that come again and again, each for less than a second, are not told', () => {
  const { clock, troubles, told } = stage();

  for (let i = 0; i < 5; i += 1) {
    troubles.down('no server', 1, why('reset'));
    clock.advance(900);
    troubles.up('no server', 1);
    clock.advance(900);
  }

  expect(told).toEqual([]);
});

test('the newest reason is told', () => {
  const { clock, troubles, told } = stage();

  troubles.down('no server', 1, why('reset'));
  clock.advance(500);
  troubles.down('no server', 1, why('refused'));
  clock.advance(600);

  expect(told).toEqual(['no server: refused']);
});

test('two connections to one server have one trouble, which ends with the last of them', () => {
  const { clock, troubles, told } = stage();

  troubles.down('no server', 1, why('reset'));
  troubles.down('no server', 2, why('reset'));
  clock.advance(1_500);
  troubles.up('no server', 1);
  expect(told).toEqual(['no server: reset']);
  troubles.up('no server', 2);

  expect(told).toEqual(['no server: reset', 'no server: over after 1500']);
});

test('troubles of two servers are told apart', () => {
  const { clock, troubles, told } = stage();

  troubles.down('no A', 1, why('reset'));
  troubles.down('no B', 2, why('refused'));
  clock.advance(1_500);

  expect(told).toEqual(['no A: reset', 'no B: refused']);
});

test('while somebody listens nothing is told; when nobody does any more, it is', () => {
  const scene = stage();
  const { clock, troubles, told } = scene;

  scene.heard = true;
  troubles.down('no server', 1, why('reset'));
  clock.advance(5_000);
  expect(told).toEqual([]);
  scene.heard = false;
  clock.advance(1_000);
  expect(told).toEqual(['no server: reset']);
});

test('what was told is taken back also when somebody listens by then', () => {
  const scene = stage();
  const { clock, troubles, told } = scene;

  troubles.down('no server', 1, why('reset'));
  clock.advance(1_500);
  scene.heard = true;
  troubles.up('no server', 1);

  expect(told).toEqual(['no server: reset', 'no server: over after 1500']);
});

test('a trouble that keeps showing is told, and is over when its last source is', () => {
  const { clock, troubles, told } = stage();

  for (let i = 0; i < 20; i += 1) {
    troubles.shown('calls refused', 'key', new Error('OOM'));
    clock.advance(250);
  }
  expect(told).toEqual(['calls refused: OOM']);
  // Nobody calls for a while: that proves nothing.
  clock.advance(20_000);
  troubles.shown('calls refused', 'key', new Error('OOM'));
  clock.advance(2_000);
  expect(told).toEqual(['calls refused: OOM']);
  troubles.up('calls refused', 'key');

  expect(told).toEqual(['calls refused: OOM', 'calls refused: over after 27000']);
});

test('a trouble that shows once a second, after pauses that have grown, is told within two seconds', () => {
  const { clock, troubles, told } = stage();

  for (const pauseMs of [16, 32, 64, 128, 256, 512, 1_000]) {
    troubles.shown('calls refused', 'key', new Error('OOM'));
    clock.advance(pauseMs);
  }
  expect(told).toEqual(['calls refused: OOM']);
});

test('a trouble that has not shown for a minute is forgotten, and told anew when it comes back', () => {
  const { clock, troubles, told } = stage();
  const show = (): void => {
    for (let i = 0; i < 8; i += 1) {
      troubles.shown('calls refused', 'key', new Error('OOM'));
      clock.advance(250);
    }
  };

  show();
  clock.advance(70_000);
  expect(clock.pending).toBe(0);
  show();

  expect(told).toEqual(['calls refused: OOM', 'calls refused: OOM']);
});

test('what shows once for a moment is not told', () => {
  const { clock, troubles, told } = stage();

  troubles.shown('calls refused', 'key', new Error('LOADING'));
  clock.advance(10_000);

  expect(told).toEqual([]);
});

test('who listens to errors is told of refused calls, of which there is no other error', () => {
  const scene = stage();
  const { clock, troubles, told } = scene;

  scene.heard = true;
  for (let i = 0; i < 20; i += 1) {
    troubles.down('no server', 1, why('reset'));
    troubles.shown('calls refused', 'key', new Error('NOPERM'));
    clock.advance(250);
  }

  expect(told).toEqual(['calls refused: reported NOPERM']);
});

test('after close nothing is told, and no timer is left', () => {
  const { clock, troubles, told } = stage();

  troubles.down('no server', 1, why('reset'));
  troubles.close();
  troubles.down('no server', 1, why('closed'));
  troubles.up('no server', 1);
  clock.advance(10_000);

  expect(told).toEqual([]);
  expect(clock.pending).toBe(0);
});

test('a trouble that was told is not over because the client is closed', () => {
  const { clock, troubles, told } = stage();
  troubles.down('no server', 1, why('reset'));
  clock.advance(1_001);

  troubles.close();
  troubles.up('no server', 1);

  expect(told).toEqual(['no server: reset']);
});
