-- Brings the ends of our leases that are too far ahead down to the length of the lease from now, at most a
-- thousand a call: the clock was set back since they were written. Their holders count from an earlier time, so
-- no lease is cut short while the clock runs on from there. Returns whether there may be more of them; and the
-- `idleMs` of the semaphore, if it has one, which is found with them.
-- include lib/leases_score
-- include lib/leases_length
local function leases_bring_down(timeouts, leases, now)
  local later = string.format('%.0f', (math.floor(now / 1000) + 1) * LEASE_END_MS)
  local ahead =
    redis.call('ZRANGEBYSCORE', leases, later, '+inf', 'WITHSCORES', 'LIMIT', 0, PERMITS_CHUNK)
  if #ahead == 0 then
    return false, nil
  end
  local idle_ms = ahead[#ahead - 1] == 'idle' and ahead[#ahead] - IDLE_SCORE or nil
  local permits = {}
  for i = 1, #ahead - (idle_ms and 2 or 0), 2 do
    permits[#permits + 1] = ahead[i]
  end
  if #permits == 0 then
    return false, idle_ms
  end
  local expiries, scores, gone = {}, {}, {}
  for i, end_text in ipairs(redis.call('ZMSCORE', timeouts, unpack(permits))) do
    local length_ms = end_text and leases_length(tonumber(ahead[2 * i]), tonumber(end_text))
    if length_ms then
      local n = #expiries
      expiries[n + 1], expiries[n + 2] = string.format('%.0f', now + length_ms), permits[i]
      scores[n + 1], scores[n + 2] = leases_score(now, now + length_ms), permits[i]
    else
      gone[#gone + 1] = permits[i]
    end
  end
  -- At maxmemory the first write has to be one that needs no memory.
  redis.call('ZREM', leases, '', unpack(gone))
  if #expiries > 0 then
    redis.call('ZADD', timeouts, unpack(expiries))
    redis.call('ZADD', leases, unpack(scores))
  end
  return #permits == PERMITS_CHUNK, idle_ms
end
