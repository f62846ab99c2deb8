-- In how many ms so many permits will have expired: -1 when that will not happen by itself.
local function permits_expiry_ms(timeouts, count, now)
  local last = redis.call('ZRANGE', timeouts, count - 1, count - 1, 'WITHSCORES')
  -- This score is Java's word for never.
  if not last[2] or tonumber(last[2]) >= NEVER_EXPIRES then
    return -1
  end
  return math.max(tonumber(last[2]) - now, 0)
end
