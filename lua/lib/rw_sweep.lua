-- Takes out readers whose lease has ended though others keep the lock, at most 100 a call.
local function rw_sweep(lock, readers, now, publish, channel)
  local dead = redis.call('ZRANGEBYSCORE', readers, '-inf', now, 'LIMIT', 0, 100)
  if #dead == 0 then
    return
  end
  redis.call('HDEL', lock, unpack(dead))
  redis.call('ZREM', readers, unpack(dead))
  if redis.call('HGET', lock, 'mode') == 'read' and redis.call('HLEN', lock) == 1 then
    redis.call('DEL', lock)
    redis.call(publish, channel, '0')
  end
end
