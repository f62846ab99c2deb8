// The connection for calls, without a client around it.

import { onTestFinished } from 'vitest';
import {
  CommandConnection,
  type CommandConnectionOwner,
} from '../../src/core/connection/command-connection.js';
import { readTemplate } from '../../src/core/connection/endpoint.js';
import { systemEnvironment } from '../../src/core/connection/environment.js';
import { OneServer } from '../../src/core/connection/one-server.js';
import { Call, type Receiver } from '../../src/core/wire/call.js';

const script = {
  name: 'one',
  sha1: 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db',
  source: 'return 1',
  decode: String,
};

/** A call of a script that returns 1. */
export function callOne(
  receiver: Receiver<string>,
  resend = true,
  failed: (error: Error) => void = () => {},
): Call<string> {
  return new Call({ script, operands: [0] }, receiver, resend, { failed, unheard: () => {} });
}

/** A call that the server refuses: no script has less than no keys. */
export function callRefused(receiver: Receiver<string>): Call<string> {
  const watch = { failed: () => {}, unheard: () => {} };
  return new Call({ script, operands: [-1] }, receiver, true, watch);
}

/** Closed at the end of the test. */
export function linkTo(
  url: string,
  owner: Partial<CommandConnectionOwner> = {},
  environment = systemEnvironment(),
): CommandConnection {
  const server = { options: readTemplate(url).options, readyLimitMs: 5_000 };
  const link = new CommandConnection(server, environment, {
    answerLimitMs: 60_000,
    leaseMs: 30_000,
    maxPauseMs: 1_000,
    up: () => {},
    down: () => {},
    redirected: () => false,
    isNode: false,
    oneServer: new OneServer('', () => {}),
    examined: () => {},
    fault: () => {},
    trouble: () => {},
    access: { signedIn: true, served: true },
    health: { down: () => {}, up: () => {}, shown: () => {} },
    ...owner,
  });
  onTestFinished(() => link.close(new Error('the test is over')));
  return link;
}
