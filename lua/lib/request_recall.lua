-- Returns the recorded answer of a request that ran before; 'cancelled' for one that was cancelled
-- and 'late' for one below the low-water mark, which must not run any more; nil for one that has
-- not run.
local function request_recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local low_water = redis.call('ZSCORE', requests, 'floor')
  if low_water and tonumber(number) < -tonumber(low_water) then
    return 'late'
  end
  return nil
end
