-- Writes leases of ours that were written in the future as written now, at most a thousand a call: the clock
-- was set back since. Their holders count from an earlier time, so no lease is cut short. Returns whether there
-- may be more of them.
-- include lib/leases_score
-- include lib/leases_length
local function leases_again(timeouts, leases, now)
  local later = string.format('%.0f', (math.floor(now / 1000) + 1) * LEASE_END_MS)
  local ahead =
    redis.call('ZRANGEBYSCORE', leases, later, '+inf', 'WITHSCORES', 'LIMIT', 0, PERMITS_CHUNK)
  if #ahead == 0 then
    return false
  end
  local permits = {}
  for i = 1, #ahead, 2 do
    permits[#permits + 1] = ahead[i]
  end
  -- At maxmemory the first write has to be one that needs no memory.
  redis.call('ZREM', leases, '')
  for i, end_text in ipairs(redis.call('ZMSCORE', timeouts, unpack(permits))) do
    local length_ms = end_text and leases_length(tonumber(ahead[2 * i]), tonumber(end_text))
    if length_ms then
      local expiry = now + length_ms
      redis.call('ZADD', timeouts, string.format('%.0f', expiry), permits[i])
      redis.call('ZADD', leases, leases_score(now, expiry), permits[i])
    else
      redis.call('ZREM', leases, permits[i])
    end
  end
  return #permits == PERMITS_CHUNK
end
