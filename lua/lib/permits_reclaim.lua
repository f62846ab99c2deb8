-- Returns expired permits to the pool, at most a thousand a call: how many, and how many of them are
-- still to be returned; or an error when the server refuses it. Those that are still to be returned
-- are available just as well: what is left in the pool says less by that.
local function permits_reclaim(semaphore, timeouts, now)
  local expired = redis.call('ZRANGEBYSCORE', timeouts, '-inf', now, 'LIMIT', 0, PERMITS_CHUNK)
  if #expired == 0 then
    return 0, 0
  end
  local all = #expired == PERMITS_CHUNK and redis.call('ZCOUNT', timeouts, '-inf', now) or #expired
  -- First what can be undone by the same command: no permit is ever in neither place.
  redis.call('INCRBY', semaphore, #expired)
  local removed = redis.pcall('ZREM', timeouts, unpack(expired))
  if type(removed) == 'table' then
    redis.call('INCRBY', semaphore, -#expired)
    return removed
  end
  return #expired, all - #expired
end
