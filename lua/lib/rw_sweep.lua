-- Removes readers whose lease has ended while others keep the lock, at most 100 a call. Returns
-- true when that has freed the lock: the caller then notifies its waiters.
local function rw_sweep(lock, readers, now)
  local dead = redis.call('ZRANGEBYSCORE', readers, '-inf', now, 'LIMIT', 0, 100)
  if #dead == 0 then
    return false
  end
  redis.call('HDEL', lock, unpack(dead))
  local freed = redis.call('HGET', lock, 'mode') == 'read' and redis.call('HLEN', lock) == 1
  if freed then
    redis.call('DEL', lock)
  end
  -- This comes last: until then the next sweep finds them again.
  redis.call('ZREM', readers, unpack(dead))
  return freed
end
