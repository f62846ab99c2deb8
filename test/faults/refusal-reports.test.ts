// A server that takes no writes answers reads all the time: neither a quiet reader nor a busy one
// ends the report, and the first write that can be done does.

import { describe, expect, test, type TestContext } from 'vitest';
import { createClient, type Client } from '../../src/index.js';
import { eventually } from '../support/eventually.js';
import { randomName, rawClient } from '../support/redis.js';
import { ownServer, type OwnServer } from '../support/server.js';

interface Refusing {
  readonly refuses: string;
  readonly begin: readonly string[];
  readonly end: readonly string[];
}

const states: Refusing[] = [
  {
    refuses: 'READONLY',
    begin: ['REPLICAOF', '127.0.0.1', '1'],
    end: ['REPLICAOF', 'NO', 'ONE'],
  },
  {
    refuses: 'NOREPLICAS',
    begin: ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
    end: ['CONFIG', 'SET', 'min-replicas-to-write', '0'],
  },
];

/** How often a reader looks: every look used to end the report. */
const readers = [
  { reader: 'a quiet reader', everyMs: 400 },
  { reader: 'a busy reader', everyMs: 5 },
];

type OnFinished = TestContext['onTestFinished'];

/** The codes of the warnings about a server, from now on. */
function warningsAbout(server: OwnServer, onTestFinished: OnFinished): string[] {
  const codes: string[] = [];
  const listen = (warning: Error & { code?: string }): void => {
    if (warning.name === 'RedlatchWarning' && warning.message.includes(`:${server.port}`)) {
      codes.push(String(warning.code));
    }
  };
  process.on('warning', listen);
  onTestFinished(() => {
    process.off('warning', listen);
  });
  return codes;
}

interface World {
  readonly client: Client;
  readonly warnings: string[];
  readonly looks: () => number;
  readonly command: (words: readonly string[]) => Promise<unknown>;
}

/** A client on a server of its own; somebody reads from it all the time. */
async function world(
  onTestFinished: OnFinished,
  { everyMs = 400, timeoutMs = 3_000, user = '' } = {},
): Promise<World> {
  const server = await ownServer();
  const raw = rawClient(server.url);
  const command = async ([word = '', ...words]: readonly string[]): Promise<unknown> =>
    await raw.call(word, ...words);
  if (user !== '') {
    await command(['ACL', 'SETUSER', 'jo', 'on', '>x', ...user.split(' ')]);
  }
  const redis = user === '' ? server.url : server.url.replace('//', '//jo:x@');
  const client = createClient({ redis, commandTimeoutMs: timeoutMs });
  const reads = client.getSemaphore('read-only');
  let looks = 0;
  let isLooking = false;
  const timer = setInterval(() => {
    if (!isLooking) {
      isLooking = true;
      void reads
        .availablePermits()
        .then(() => {
          looks += 1;
        })
        .catch(() => undefined)
        .finally(() => {
          isLooking = false;
        });
    }
  }, everyMs);
  onTestFinished(async () => {
    clearInterval(timer);
    await client.close({ timeoutMs: 500 });
    await server.stop();
  });
  await eventually(() => looks > 0);
  return { client, command, looks: () => looks, warnings: warningsAbout(server, onTestFinished) };
}

async function moreLooks({ looks }: World, more: number): Promise<void> {
  const until = looks() + more;
  await eventually(() => looks() >= until, { withinMs: 10_000 });
}

describe.concurrent.each(readers)('beside $reader', ({ everyMs }) => {
  test.for(states)(
    '$refuses is reported once, and over once',
    async ({ begin, end }, { onTestFinished }) => {
      const here = await world(onTestFinished, { everyMs });
      const semaphore = here.client.getSemaphore(randomName());
      await semaphore.trySetPermits(1);
      const permit = await semaphore.acquire();
      await here.command(begin);

      const releasing = permit.release().catch(() => undefined);
      await eventually(() => here.warnings.length > 0, { withinMs: 5_000 });
      await moreLooks(here, 3);
      expect(here.warnings).toEqual(['REDLATCH_TROUBLE']);

      await here.command(end);
      await eventually(() => here.warnings.length > 1, { withinMs: 8_000 });
      await releasing;
      await moreLooks(here, 3);
      expect(here.warnings).toEqual(['REDLATCH_TROUBLE', 'REDLATCH_TROUBLE_OVER']);
      await eventually(async () => (await semaphore.availablePermits()) === 1);
    },
  );
});

test.concurrent('a writing script that wrote nothing does not end the report', async ({
  onTestFinished,
}) => {
  const here = await world(onTestFinished);
  const busy = here.client.getLock('busy');
  await busy.acquire();
  await here.command(states[0]!.begin);

  const waiting = here.client.getLock('free').acquire();
  for (let asked = 0; here.warnings.length === 0; asked += 1) {
    expect(asked).toBeLessThan(1_000);
    expect(await busy.tryAcquire({ waitMs: 10 }).catch(() => null)).toBeNull();
  }
  await moreLooks(here, 3);

  expect(here.warnings).toEqual(['REDLATCH_TROUBLE']);
  await here.command(states[0]!.end);
  await (await waiting).release();
  await eventually(() => here.warnings.length > 1, { withinMs: 8_000 });
});

test.concurrent('it is over when nobody makes calls any more', async ({ onTestFinished }) => {
  const here = await world(onTestFinished, { timeoutMs: 1_500 });
  await here.command(states[0]!.begin);
  await expect(here.client.getLock('free').tryAcquire()).rejects.toThrow('READONLY');
  expect(here.warnings).toEqual(['REDLATCH_TROUBLE']);

  await here.command(states[0]!.end);
  await eventually(() => here.warnings.length > 1, { withinMs: 8_000 });
  expect(here.warnings).toEqual(['REDLATCH_TROUBLE', 'REDLATCH_TROUBLE_OVER']);
});

test.concurrent('a script that the user may run does not end the report of another', async ({
  onTestFinished,
}) => {
  const here = await world(onTestFinished, { everyMs: 5, user: '~* &* +@all' });
  const semaphore = here.client.getSemaphore('read-only');
  await semaphore.trySetPermits(1);
  await (await semaphore.acquire()).release();
  await here.command(['ACL', 'SETUSER', 'jo', 'resetkeys', '~read-only']);

  const waiting = semaphore.acquire();
  await eventually(() => here.warnings.length > 0, { withinMs: 5_000 });
  await moreLooks(here, 20);
  expect(here.warnings).toEqual(['REDLATCH_TROUBLE']);

  await here.command(['ACL', 'SETUSER', 'jo', '~*']);
  await (await waiting).release();
  await eventually(() => here.warnings.length > 1, { withinMs: 8_000 });
});

test.concurrent('where the user may not do the write that proves it, a call does', async ({
  onTestFinished,
}) => {
  const here = await world(onTestFinished, { everyMs: 5, user: '~* &* +@all -set' });
  await here.command(states[0]!.begin);

  const waiting = here.client.getLock('free').acquire();
  await eventually(() => here.warnings.length > 0, { withinMs: 5_000 });
  await moreLooks(here, 20);
  expect(here.warnings).toEqual(['REDLATCH_TROUBLE']);

  await here.command(states[0]!.end);
  await (await waiting).release();
  await eventually(() => here.warnings.length > 1, { withinMs: 8_000 });
});
