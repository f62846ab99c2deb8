-- States that `holder` has `count` holds; neither the count nor the lease is ever lowered.
local function write_hold(lock, holder, held, count, lease_ms)
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
