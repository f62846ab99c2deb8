-- States that `holder` has `count` holds of a lock, which is free when it `held` none; neither the
-- count nor the lease is ever lowered. An error when the server refuses it: nothing is held then.
-- Of a free lock the hold comes first: whether there is memory is asked with the first write only.
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
