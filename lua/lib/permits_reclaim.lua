-- Returns expired permits to the pool, in chunks that a call can carry: at least `wanted` of them
-- if there are so many, and at most 999 more. How many they were.
local function permits_reclaim(semaphore, timeouts, now, wanted)
  local reclaimed = 0
  repeat
    local expired = redis.call('ZRANGEBYSCORE', timeouts, '-inf', now, 'LIMIT', 0, 1000)
    if #expired > 0 then
      redis.call('ZREM', timeouts, unpack(expired))
      redis.call('INCRBY', semaphore, #expired)
      reclaimed = reclaimed + #expired
    end
  until #expired < 1000 or reclaimed >= wanted
  return reclaimed
end
