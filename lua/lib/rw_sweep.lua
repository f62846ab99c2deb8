-- Removes readers whose lease has ended while others keep the lock, at most 100 a call. Returns
-- true when that has freed the lock: the caller then notifies its waiters.
local function rw_sweep(lock, readers, now)
  local later = string.format('(%.0f', now + 1)
  local dead = redis.call('ZRANGEBYSCORE', readers, '-inf', later, 'LIMIT', 0, 100)
  if #dead == 0 then
    return false
  end
  local others = redis.call('HLEN', lock) - 1
  for _, reader in ipairs(dead) do
    others = others - redis.call('HEXISTS', lock, reader)
  end
  local freed = others == 0 and redis.call('HGET', lock, 'mode') == 'read'
  -- Removes nothing: a user without the right is refused here, before anything is changed.
  redis.call('ZREM', readers, '')
  if freed then
    redis.call('DEL', lock)
  else
    redis.call('HDEL', lock, unpack(dead))
  end
  redis.call('ZREM', readers, unpack(dead))
  return freed
end
