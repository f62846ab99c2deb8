-- Whether `holder` may write its hold number `count`: nil and what it holds now when it may, else
-- the refusal: ms left on somebody's lease (-1: none), -2 the hold is gone, -3 the holder id is
-- burnt, -4 the hold is gone and somebody else has the lock.
local function lock_admit(lock, cancelled, holder, count)
  local held = redis.call('HGET', lock, holder)
  if held then
    return nil, tonumber(held)
  end
  if redis.call('EXISTS', lock) == 1 then
    if redis.call('HEXISTS', lock, 'mode') == 1 then
      return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
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
