// A source of credentials that a test turns, and a server that wants them.

import type { Redis } from 'ioredis';
import { afterAll, beforeEach } from 'vitest';
import type { Credentials } from '../../src/index.js';
import { rawClient, runPrefix } from '../support/redis.js';
import { expectNoChannels, expectNoResidue } from '../support/residue.js';
import { ownServer, type OwnServer } from '../support/server.js';

type Server = Readonly<{ host: string; port: number }>;

/** Gives what it is set to, and records for whom it was asked. */
export class Source {
  readonly asked: string[] = [];
  /** Gives what the next question is answered with. */
  give: (server: Server) => Credentials | Promise<Credentials>;

  constructor(password: string) {
    this.give = () => ({ password });
  }

  /** The option. */
  readonly ask = (server: Server): Credentials | Promise<Credentials> => {
    this.asked.push(`${server.host}:${server.port}`);
    return this.give(server);
  };
}

/** A connection that does not depend on the password of the others. */
export async function operatorOf(url: string, before?: string): Promise<Redis> {
  const first = rawClient(url, before === undefined ? {} : { password: before });
  await first.call('ACL', 'SETUSER', 'operator', 'on', '>operator', '~*', '&*', '+@all');
  return rawClient(url, { username: 'operator', password: 'operator' });
}

/** A server with a password, and an operator of it. */
export async function guardedServer(
  password: string,
): Promise<{ server: OwnServer; operator: Redis }> {
  const server = await ownServer();
  const operator = await operatorOf(server.url);
  await operator.config('SET', 'requirepass', password);
  return { server, operator };
}

/** Each test of the file begins with this password, and the file leaves nothing on the server. */
export function eachWithPassword(operator: Redis, password: string): void {
  beforeEach(async () => {
    await operator.config('SET', 'requirepass', password);
  });

  afterAll(async () => {
    const allow = [/^redlatch_(cancelled|requests|opened|beats|generation|permits|tickets):/];
    await expectNoResidue(runPrefix(), { client: operator, allow, withinMs: 4_000 });
    await expectNoChannels(runPrefix(), { client: operator });
  });
}
