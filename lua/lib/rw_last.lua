-- Returns how many ms the longest lease of our own readers still runs; nil when that reader is
-- gone.
local function rw_last(lock, readers, now)
  local last = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')
  if last[1] and tonumber(last[2]) > now and redis.call('HEXISTS', lock, last[1]) == 1 then
    return tonumber(last[2]) - now
  end
  return nil
end
