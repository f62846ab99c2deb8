-- Writes the heartbeats that are later than `now`, that of `member` and up to a thousand others, as now: the
-- clock was set back since. Those of the dead are never written again, and would not lapse for as long as
-- the clock was set back.
local function heard_again(heartbeats, member, now)
  local ahead = redis.call('ZRANGEBYSCORE', heartbeats, now + 1, '+inf', 'LIMIT', 0, PERMITS_CHUNK)
  local entries = { now, member }
  for _, each in ipairs(ahead) do
    entries[#entries + 1] = now
    entries[#entries + 1] = each
  end
  -- At maxmemory the first write has to be one that needs no memory.
  redis.call('ZREM', heartbeats, '')
  redis.call('ZADD', heartbeats, unpack(entries))
end
