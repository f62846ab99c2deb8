// The clock of the server is set back, after a process was killed while it waited.
//
// A real server takes its time from the machine, so that its clock stays as it is, and what it keeps is moved ahead:
// when waiters were last heard of, and who asked first. Leases are left alone: they would last longer by the step.

import type { Scene } from './scene.js';

const STEP_MS = 3_600_000;

const MOVE = `
  local function moved(score, by)
    return string.format('%.0f', tonumber(score) + by)
  end
  local function move_scores(key, by)
    local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for i = 1, #entries, 2 do
      redis.call('ZADD', key, moved(entries[i + 1], by), entries[i])
    end
  end
  local function move_tickets(key, by)
    local fields = redis.call('HGETALL', key)
    for i = 1, #fields, 2 do
      local value = fields[i + 1]
      if fields[i] == 'turn' then
        value = string.gsub(value, '^(%d+) (%d+)', function(opened, last)
          return moved(opened, by) .. ' ' .. moved(last, by)
        end)
      else
        value = string.gsub(value, '^%d+', function(heard) return moved(heard, by) end)
      end
      redis.call('HSET', key, fields[i], value)
    end
  end
  local step = tonumber(ARGV[2])
  for _, key in ipairs(redis.call('KEYS', 'redlatch_*' .. ARGV[1] .. '*')) do
    local word = string.match(key, '^redlatch_(%a+):')
    if word == 'beats' then
      move_scores(key, step)
    elseif word == 'waiting' or word == 'writers' then
      move_scores(key, step * 1000)
    elseif word == 'tickets' then
      move_tickets(key, step)
    end
  end`;

export async function stepBack({ prefix, raw }: Scene): Promise<void> {
  await raw.eval(MOVE, 0, prefix, STEP_MS);
}
