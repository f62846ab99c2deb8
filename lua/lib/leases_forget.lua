-- Forgets leases of permits that Java has returned, where the record has more than there are permits taken: a
-- thousand of them are compared, from a place that the time picks.
local function leases_forget(timeouts, leases, now)
  local count = redis.call('ZCARD', leases)
  if count <= redis.call('ZCARD', timeouts) then
    return
  end
  local from = now % math.max(count - PERMITS_CHUNK + 1, 1)
  local permits = redis.call('ZRANGE', leases, from, from + PERMITS_CHUNK - 1)
  local gone = {}
  for i, expiry in ipairs(redis.call('ZMSCORE', timeouts, unpack(permits))) do
    if not expiry then
      gone[#gone + 1] = permits[i]
    end
  end
  if #gone > 0 then
    redis.call('ZREM', leases, unpack(gone))
  end
end
