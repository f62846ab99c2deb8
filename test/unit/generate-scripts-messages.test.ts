// A script changes and records first and notifies last, so that a message that the server refuses
// neither undoes nor hides what was done: the generator refuses a script that breaks this.

import { describe, expect, test } from 'vitest';
import { compile } from '../../scripts/lua/compile.mjs';

const header = `-- lock/release: free the lock.
--
-- KEYS[1] lock     hash    who holds
-- ARGV[1] publish  string  PUBLISH or SPUBLISH
-- ARGV[2] channel  string  where waiters listen
-- returns integer  0

redis.call('SET', KEYS[1], ARGV[1], ARGV[2])
`;

const libs = {
  'lib/notify.lua': `-- Publishes.
local function notify(reply, publish, channel)
  return redis.pcall(publish, channel, '0') and reply
end
`,
  'lib/notify_all.lua': `-- Publishes to all.
-- include lib/notify
local function notify_all(channel)
  return notify(1, 'PUBLISH', channel)
end
`,
  'lib/request_keep_record.lua':
    "-- Keeps it.\nlocal function request_keep_record(requests)\n  redis.call('ZADD', requests, 1, 'a')\nend\n",
  'lib/request_record.lua':
    "-- Records.\nlocal function request_record(requests)\n  return redis.call('ZADD', requests, 2, 'b')\nend\n",
};

/** Includes them all: a file that nobody includes is a fault of another kind. */
const user = `-- lock/use: use all.
-- returns integer  0

-- include lib/request_keep_record
-- include lib/request_record
-- include lib/notify
-- include lib/notify_all
request_keep_record(1)
if request_record(1) then
  return notify(1)
end
return notify_all(1)
`;

/** What the generator says of lock/release.lua with this code behind its header. */
function faultsOf(code: string, more: Record<string, string> = {}): string[] {
  const operations = { 'lock/release.lua': header + code, 'lock/use.lua': user };

  const { faults } = compile(new Map(Object.entries({ ...operations, ...libs, ...more })));

  return faults.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe('a script may', () => {
  test.each([
    ['notify last', '-- include lib/notify\nreturn notify(1, ARGV[1], ARGV[2])\n'],
    [
      'notify last on one of its ways',
      '-- include lib/notify\nif KEYS[1] then\n  return notify(1, ARGV[1], ARGV[2])\nend\nreturn 1\n',
    ],
    ['leave that to a function', '-- include lib/notify_all\nreturn notify_all(ARGV[2])\n'],
    [
      'record in the same breath',
      '-- include lib/request_keep_record\n-- include lib/request_record\n-- include lib/notify\n' +
        'request_keep_record(KEYS[1])\nreturn notify(request_record(KEYS[1]), ARGV[1], ARGV[2])\n',
    ],
    [
      'record only what it grants',
      '-- include lib/request_keep_record\n-- include lib/request_record\n-- include lib/notify\n' +
        'if KEYS[1] then\n  request_keep_record(KEYS[1])\n  request_record(KEYS[1])\nend\n' +
        'return notify(1, ARGV[1], ARGV[2])\n',
    ],
    ['have a field that is called so', 'local all = { notify = 1 }\nreturn all.notify\n'],
  ])('%s', (_, code) => {
    expect(faultsOf(code)).toEqual([]);
  });
});

describe('a script is refused that', () => {
  test.each([
    ['publishes by itself', "return redis.call('PUBLISH', ARGV[2], '0')", 'lib/notify only'],
    ['publishes in lower case', "return redis.pcall('spublish', ARGV[2], '0')", 'lib/notify only'],
    ['calls a command by argument', "return redis.call(ARGV[1], ARGV[2], '0')", 'name its command'],
    ['calls a command without brackets', "return redis.call 'TIME'", 'called where it stands'],
    [
      'hides what calls',
      'local call = redis.pcall\nreturn call(ARGV[1])',
      'called where it stands',
    ],
    ['hides what calls by index', "return redis['call'](ARGV[1])", "'redis' must stand in front"],
    ['hides redis', 'local r = redis\nreturn r', "'redis' must stand in front"],
  ])('%s', (_, code, message) => {
    const faults = faultsOf(`${code}\n`);

    expect(faults).toEqual([expect.stringContaining(message)]);
    expect(faults[0]).toContain('lock/release.lua:9: ');
  });

  const last = "notify must be the last that a script does: 'return notify(...)'";

  test.each([
    ['writes after it has notified', "notify(1)\nredis.call('SET', KEYS[1])"],
    ['keeps what that returns', 'local reply = notify(1)\nreturn reply'],
    ['adds to what that returns', 'return 1 + notify(1)'],
    ['returns more than that', 'return notify(1), 2'],
    [
      'notifies inside a function of its own',
      'local function f()\n  return notify(1)\nend\nreturn f()',
    ],
    ['hands the function on', 'return pairs(notify)'],
    ['gives it another name', 'local say = notify\nreturn say(1)'],
  ])('%s', (_, code) => {
    expect(faultsOf(`-- include lib/notify\n${code}\n`)).toEqual([expect.stringContaining(last)]);
  });

  test('writes after a function has notified', () => {
    const code =
      "-- include lib/notify_all\nnotify_all(ARGV[2])\nreturn redis.call('SET', KEYS[1])\n";

    expect(faultsOf(code)).toEqual([
      "lock/release.lua:10: notify_all must be the last that a script does: 'return notify_all(...)'",
    ]);
  });

  test('includes a function that writes after it has notified', () => {
    const free = `-- Frees it.
-- include lib/notify
local function free(channel)
  notify(1, 'PUBLISH', channel)
  return 1
end
`;

    const code = '-- include lib/free\nreturn free(ARGV[2])\n';

    expect(faultsOf(code, { 'lib/free.lua': free })).toEqual([`lib/free.lua:4: ${last}`]);
  });

  const counted =
    '-- include lib/request_keep_record\n-- include lib/request_record\n-- include lib/notify\n';

  test('notifies before it records', () => {
    const code =
      'request_keep_record(1)\nif ARGV[1] then\n  return notify(1)\nend\nreturn request_record(1)\n';

    expect(faultsOf(counted + code)).toEqual([
      'lock/release.lua:14: a counted script must request_record() its answer before it notifies',
    ]);
  });

  test('does not show that it can record before it does', () => {
    const code = 'request_record(1)\nrequest_keep_record(1)\nreturn notify(1)\n';

    expect(faultsOf(counted + code)).toEqual([
      'lock/release.lua:12: request_keep_record() must come before request_record()',
    ]);
  });

  test('looks whether it ran before, and does not record that it did', () => {
    const code =
      "-- include lib/request_recall\nrequest_recall(1)\nreturn redis.call('SET', KEYS[1])\n";

    const recall = '-- Looks.\nlocal function request_recall(requests)\n  return requests\nend\n';

    expect(faultsOf(code, { 'lib/request_recall.lua': recall })).toEqual([
      'lock/release.lua:10: a counted script must request_record() its answer: a copy would run again',
    ]);
  });
});
