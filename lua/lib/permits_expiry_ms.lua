-- Returns in how many ms `count` permits will have expired, -1 when that will not happen.
local function permits_expiry_ms(timeouts, count, now)
  local last = redis.call('ZRANGE', timeouts, count - 1, count - 1, 'WITHSCORES')
  -- This is the score that Java gives to a permit that never expires.
  if not last[2] or tonumber(last[2]) >= NEVER_EXPIRES then
    return -1
  end
  return math.max(tonumber(last[2]) - now, 0)
end
