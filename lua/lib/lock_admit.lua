-- Whether `holder` may write its hold number `count`. If so, returns nil and how many holds it has
-- now, else the refusal: ms left on the lease of another holder (-1: it has none), -2 the lock of a
-- re-entry is free by now, -3 the holder id has a tombstone, -4 the lock of a re-entry is held by
-- another.
-- include lib/lock_foreign
local function lock_admit(lock, tombstone, holder, count)
  local held = redis.call('HGET', lock, holder)
  if held then
    return nil, tonumber(held)
  end
  local left_ms = redis.call('PTTL', lock)
  if left_ms ~= -2 then
    local wrong = lock_foreign(lock)
    if wrong then
      return wrong
    end
    if count > 1 then
      return -4
    end
    return left_ms
  end
  if count > 1 then
    return -2
  end
  -- A late copy of an acquisition that was given up or released must not be granted.
  if redis.call('EXISTS', tombstone) == 1 then
    return -3
  end
  return nil, 0
end
