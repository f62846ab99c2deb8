-- Writes that `holder`, which has `held` holds of a lock by now, has `count` of them; a lock of
-- which it has none is free. Neither the count nor the lease is ever lowered. Returns an error when
-- the server refuses it: nothing is held then.
-- On a free lock the hold is written first: the server checks its memory before the first write
-- only.
local function lock_write_hold(lock, holder, held, count, lease_ms)
  if held == 0 then
    redis.call('HSET', lock, holder, count)
    local leased = redis.pcall('PEXPIRE', lock, lease_ms)
    if type(leased) == 'table' then
      redis.call('HDEL', lock, holder)
      return leased
    end
    return nil
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  return nil
end
