// A script changes and records first and tells last, so that a message that the server refuses
// neither undoes nor hides what was done: the generator refuses a script that breaks this.

import { describe, expect, test } from 'vitest';
import { compile } from '../../scripts/lua/compile.mjs';

const header = `-- lock/release: free the lock.
--
-- KEYS[1] lock     hash    who holds
-- ARGV[1] publish  string  PUBLISH or SPUBLISH
-- ARGV[2] channel  string  where waiters listen
-- returns integer  0

redis.call('DEL', KEYS[1], ARGV[1], ARGV[2])
`;

const libs = {
  'lib/tell.lua': `-- Publishes.
local function tell(reply, publish, channel)
  return redis.pcall(publish, channel, '0') and reply
end
`,
  'lib/tell_all.lua': `-- Publishes to all.
-- include lib/tell
local function tell_all(channel)
  return tell(1, 'PUBLISH', channel)
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
-- include lib/tell
-- include lib/tell_all
request_keep_record(1)
if request_record(1) then
  return tell(1)
end
return tell_all(1)
`;

/** What the generator says of lock/release.lua with this code behind its header. */
function faultsOf(code: string, more: Record<string, string> = {}): string[] {
  const operations = { 'lock/release.lua': header + code, 'lock/use.lua': user };

  const { faults } = compile(new Map(Object.entries({ ...operations, ...libs, ...more })));

  return faults.map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

describe('a script may', () => {
  test.each([
    ['tell last', '-- include lib/tell\nreturn tell(1, ARGV[1], ARGV[2])\n'],
    [
      'tell last on one of its ways',
      '-- include lib/tell\nif KEYS[1] then\n  return tell(1, ARGV[1], ARGV[2])\nend\nreturn 1\n',
    ],
    ['leave telling to a function', '-- include lib/tell_all\nreturn tell_all(ARGV[2])\n'],
    [
      'record in the same breath',
      '-- include lib/request_keep_record\n-- include lib/request_record\n-- include lib/tell\n' +
        'request_keep_record(KEYS[1])\nreturn tell(request_record(KEYS[1]), ARGV[1], ARGV[2])\n',
    ],
    [
      'record only what it grants',
      '-- include lib/request_keep_record\n-- include lib/request_record\n-- include lib/tell\n' +
        'if KEYS[1] then\n  request_keep_record(KEYS[1])\n  request_record(KEYS[1])\nend\n' +
        'return tell(1, ARGV[1], ARGV[2])\n',
    ],
    ['have a field that is called so', 'local all = { tell = 1 }\nreturn all.tell\n'],
  ])('%s', (_, code) => {
    expect(faultsOf(code)).toEqual([]);
  });
});

describe('a script is refused that', () => {
  test.each([
    ['publishes by itself', "return redis.call('PUBLISH', ARGV[2], '0')", 'lib/tell only'],
    ['publishes in lower case', "return redis.pcall('spublish', ARGV[2], '0')", 'lib/tell only'],
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

  const last = "tell must be the last that a script does: 'return tell(...)'";

  test.each([
    ['writes after it has told', "tell(1)\nredis.call('DEL', KEYS[1])"],
    ['keeps what telling returns', 'local told = tell(1)\nreturn told'],
    ['adds to what telling returns', 'return 1 + tell(1)'],
    ['returns more than that', 'return tell(1), 2'],
    ['tells inside a function of its own', 'local function f()\n  return tell(1)\nend\nreturn f()'],
    ['hands the function on', 'return pairs(tell)'],
    ['gives it another name', 'local say = tell\nreturn say(1)'],
  ])('%s', (_, code) => {
    expect(faultsOf(`-- include lib/tell\n${code}\n`)).toEqual([expect.stringContaining(last)]);
  });

  test('writes after a function has told', () => {
    const code = "-- include lib/tell_all\ntell_all(ARGV[2])\nreturn redis.call('DEL', KEYS[1])\n";

    expect(faultsOf(code)).toEqual([
      "lock/release.lua:10: tell_all must be the last that a script does: 'return tell_all(...)'",
    ]);
  });

  test('includes a function that writes after it has told', () => {
    const free = `-- Frees it.
-- include lib/tell
local function free(channel)
  tell(1, 'PUBLISH', channel)
  return 1
end
`;

    const code = '-- include lib/free\nreturn free(ARGV[2])\n';

    expect(faultsOf(code, { 'lib/free.lua': free })).toEqual([`lib/free.lua:4: ${last}`]);
  });

  const counted =
    '-- include lib/request_keep_record\n-- include lib/request_record\n-- include lib/tell\n';

  test('tells before it records', () => {
    const code =
      'request_keep_record(1)\nif ARGV[1] then\n  return tell(1)\nend\nreturn request_record(1)\n';

    expect(faultsOf(counted + code)).toEqual([
      'lock/release.lua:14: a counted script must request_record() its answer before it tells',
    ]);
  });

  test('does not show that it can record before it does', () => {
    const code = 'request_record(1)\nrequest_keep_record(1)\nreturn tell(1)\n';

    expect(faultsOf(counted + code)).toEqual([
      'lock/release.lua:12: request_keep_record() must come before request_record()',
    ]);
  });

  test('looks whether it ran before, and does not record that it did', () => {
    const code =
      "-- include lib/request_recall\nrequest_recall(1)\nreturn redis.call('DEL', KEYS[1])\n";

    const recall = '-- Looks.\nlocal function request_recall(requests)\n  return requests\nend\n';

    expect(faultsOf(code, { 'lib/request_recall.lua': recall })).toEqual([
      'lock/release.lua:10: a counted script must request_record() its answer: a copy would run again',
    ]);
  });
});
