import { expect, test } from 'vitest';
import { RefusedMessages } from '../../src/core/delivery/refused-messages.js';

function listener(): { unheard: RefusedMessages; told: string[] } {
  const told: string[] = [];
  const unheard = new RefusedMessages(({ message }) => void told.push(message));
  return { unheard, told };
}

test('a refused message is told once for each kind of channel, whatever the object is called', () => {
  const { unheard, told } = listener();

  unheard.report([1, 'PUBLISH', 0, 'PUBLISH', 'redisson_sc:{PUBLISH}']);
  unheard.report([1, 'a', 'PUBLISH', 'redisson_sc:{a}']);
  unheard.report([1, 'b', 'PUBLISH', 'redisson_sc:x{b}']);
  unheard.report([1, 'c', 'PUBLISH', 'redisson_countdownlatch__channel__{c}', 7]);

  expect(told.map((message) => message.replace(/: what was done.*:/u, ' ...'))).toEqual([
    'Redis refuses PUBLISH on "redisson_sc:{PUBLISH}" ... +publish &redisson_sc*',
    'Redis refuses PUBLISH on "redisson_countdownlatch__channel__{c}" ... ' +
      '+publish &redisson_countdownlatch__channel__*',
  ]);
});

test('in a cluster it names the right to publish there', () => {
  const { unheard, told } = listener();

  unheard.report([2, 'a', 'b', 'holder', 'SPUBLISH', 'redisson_rwlock:{a}']);

  expect(told).toEqual([
    expect.stringMatching(/^Redis refuses SPUBLISH .* \+spublish &redisson_rwlock\*$/u),
  ]);
});
