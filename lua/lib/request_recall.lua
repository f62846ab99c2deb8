-- The recorded answer of a request that ran before, 'cancelled' or 'late' for one that must not
-- run any more, nil for one that runs now for the first time.
local function request_recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
