-- Returns how many ms the longest lease of our own readers still runs, nil when that reader is gone; and
-- whether it has an end that is too far ahead.
-- include lib/ends_left
local function rw_last(lock, readers, now)
  local last = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')
  local left_ms, is_ahead = ends_left(tonumber(last[2]) or 0, now)
  if left_ms > 0 and redis.call('HEXISTS', lock, last[1]) == 1 then
    return left_ms, is_ahead
  end
  return nil, is_ahead
end
