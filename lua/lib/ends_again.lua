-- Writes the ends of leases that are further ahead than these leases are long, the last thousand, as those of
-- leases from now on: the clock was set back since.
-- include lib/ends_left
local function ends_again(readers, now)
  local last = redis.call('ZREVRANGE', readers, 0, PERMITS_CHUNK - 1, 'WITHSCORES')
  -- At maxmemory the first write has to be one that needs no memory.
  redis.call('ZREM', readers, '')
  for i = 1, #last, 2 do
    local score = tonumber(last[i + 1])
    local left_ms, is_ahead = ends_left(score, now)
    if is_ahead then
      local ends_at = now + left_ms + score - math.floor(score)
      redis.call('ZADD', readers, string.format('%.4f', ends_at), last[i])
    end
  end
end
