// The error that one caller gets of what several calls may have failed with.

import { expect, test } from 'vitest';
import { ClosedError } from '../../src/errors.js';
import { UnexpectedReplyError } from '../../src/server-errors.js';
import { translate } from '../../src/core/delivery/translate.js';

test.each([new ClosedError('closed'), new UnexpectedReplyError('odd')])(
  'is an own one that names the object: $name',
  (shared) => {
    const [one, two] = [translate(shared, 'one'), translate(shared, 'two')];

    expect(one).toBeInstanceOf(shared.constructor);
    expect(one).toMatchObject({ message: shared.message, resource: 'one' });
    expect(two).toMatchObject({ message: shared.message, resource: 'two' });
  },
);
