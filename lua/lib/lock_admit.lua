-- Whether `holder` may write its hold number `count`: nil and what it holds now when it may, else
-- the refusal: ms left on somebody's lease (-1: none), -2 the hold is gone, -3 the holder id is
-- burnt, -4 the hold is gone and somebody else has the lock.
-- include lib/lock_not_read_write
local function lock_admit(lock, cancelled, holder, count)
  local held = redis.call('HGET', lock, holder)
  if held then
    return nil, tonumber(held)
  end
  if redis.call('EXISTS', lock) == 1 then
    local wrong = lock_not_read_write(lock)
    if wrong then
      return wrong
    end
    if count > 1 then
      return -4
    end
    return redis.call('PTTL', lock)
  end
  if count > 1 then
    return -2
  end
  -- A copy of an acquisition that was given up, or released, must not come back as a ghost.
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  return nil, 0
end
