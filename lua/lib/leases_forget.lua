-- Forgets leases of permits that Java has returned, when the record has more leases than permits are taken: of
-- the thousand oldest leases those whose permit is gone.
local function leases_forget(timeouts, leases)
  -- The number of permits is among them.
  if redis.call('ZCARD', leases) - 1 <= redis.call('ZCARD', timeouts) then
    return
  end
  local permits = redis.call('ZRANGE', leases, 0, PERMITS_CHUNK - 1)
  local gone = {}
  for i, expiry in ipairs(redis.call('ZMSCORE', timeouts, unpack(permits))) do
    if not expiry and permits[i] ~= 'idle' and permits[i] ~= 'total' then
      gone[#gone + 1] = permits[i]
    end
  end
  if #gone > 0 then
    redis.call('ZREM', leases, unpack(gone))
  end
end
