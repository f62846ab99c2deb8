-- Takes out readers whose lease has ended though others keep the lock, at most 100 a call. True when
-- that has freed the lock: its waiters are to be told.
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
  -- Last of all: until then the next sweep finds them again.
  redis.call('ZREM', readers, unpack(dead))
  return freed
end
