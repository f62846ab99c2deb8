// What a call about several names rejects with when some of them have failed.

import { expect, test } from 'vitest';
import { forcedError } from '../../src/multi-lock/joint-errors.js';
import { AccessDeniedError } from '../../src/server-errors.js';
import { CommandTimeoutError, OutcomeUnknownError } from '../../src/errors.js';

const options = { resource: 'a' };
const unanswered = new CommandTimeoutError('no answer', options);
const unknown = new OutcomeUnknownError('perhaps', options);
const denied = new AccessDeniedError('no right', options);

test('a forced release that no name was freed by is one that was not carried out', () => {
  expect(forcedError('a, b', [unanswered, unanswered], 2)).toBe(unanswered);
});

test('where other names were freed, it is unknown', () => {
  const error = forcedError('a, b', [unanswered], 2);

  expect(error).toBeInstanceOf(OutcomeUnknownError);
  expect(error).toMatchObject({ resource: 'a, b', cause: { errors: [unanswered] } });
});

test('so it is where that of one name is unknown', () => {
  expect(forcedError('a, b', [unanswered, unknown], 2)).toBeInstanceOf(OutcomeUnknownError);
});

test('a right that is missing for all names is reported as that', () => {
  expect(forcedError('a, b', [denied, denied], 2)).toBe(denied);
});

test('where it is missing for one of them, the others were freed', () => {
  expect(forcedError('a, b', [denied], 2)).toBeInstanceOf(OutcomeUnknownError);
});
