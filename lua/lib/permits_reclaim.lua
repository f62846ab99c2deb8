-- Returns expired permits to the pool, at most a thousand a call. Returns how many, and how many
-- more have expired, which are available just as well although the pool does not count them yet, and whether none was
-- taken; or an error when the server refuses it.
local function permits_reclaim(semaphore, timeouts, leases, now)
  local first = redis.call('ZRANGE', timeouts, 0, 0, 'WITHSCORES')
  if not first[1] or tonumber(first[2]) > now then
    return 0, 0, not first[1]
  end
  local expired = redis.call('ZRANGEBYSCORE', timeouts, '-inf', now, 'LIMIT', 0, PERMITS_CHUNK)
  local all = #expired == PERMITS_CHUNK and redis.call('ZCOUNT', timeouts, '-inf', now) or #expired
  -- First comes what the same command can undo: a permit is never missing in both places.
  redis.call('INCRBY', semaphore, #expired)
  local removed = redis.pcall('ZREM', timeouts, unpack(expired))
  if type(removed) == 'table' then
    redis.call('INCRBY', semaphore, -#expired)
    return removed
  end
  redis.call('ZREM', leases, unpack(expired))
  return #expired, all - #expired, false
end
