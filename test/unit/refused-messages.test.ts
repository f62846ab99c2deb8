import { expect, test } from 'vitest';
import { RefusedMessages } from '../../src/core/delivery/refused-messages.js';

function listener(): { unheard: RefusedMessages; told: string[] } {
  const told: string[] = [];
  const unheard = new RefusedMessages(({ message }) => void told.push(message));
  return { unheard, told };
}

test('a refused message is told once for each kind of channel, whatever the object is called', () => {
  const { unheard, told } = listener();

  unheard.report('PUBLISH', 'redisson_sc:{PUBLISH}');
  unheard.report('PUBLISH', 'redisson_sc:{a}');
  unheard.report('PUBLISH', 'redisson_sc:x{b}');
  unheard.report('PUBLISH', 'redisson_countdownlatch__channel__{c}');

  expect(told.map((message) => message.replace(/: what was done.*:/u, ' ...'))).toEqual([
    'Redis refuses PUBLISH on "redisson_sc:{PUBLISH}" ... +publish &redisson_sc*',
    'Redis refuses PUBLISH on "redisson_countdownlatch__channel__{c}" ... ' +
      '+publish &redisson_countdownlatch__channel__*',
  ]);
});

test('in a cluster it names the right to publish there', () => {
  const { unheard, told } = listener();

  unheard.report('SPUBLISH', 'redisson_rwlock:{a}');

  expect(told).toEqual([
    expect.stringMatching(/^Redis refuses SPUBLISH .* \+spublish &redisson_rwlock\*$/u),
  ]);
});

test('a client that is not told of the end of its holds is named as such, and not as a waiter', () => {
  const { unheard, told } = listener();

  unheard.report('PUBLISH', 'redlatch:0123');

  expect(told).toEqual([
    'Redis refuses PUBLISH on "redlatch:0123": what was done stands, but a client whose holds ' +
      'have ended learns of it with its next renewal, and one that was handed a lock when it asks ' +
      'again. The user lacks one of: +publish &redlatch*',
  ]);
});
