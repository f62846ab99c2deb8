-- Takes `count` permits of a grant off, in chunks that a call can carry: how many were there, and
-- how many of those had not expired.
-- include lib/permit_id
local function permits_remove(timeouts, first, count, now)
  local removed, held = 0, 0
  for from = 0, count - 1, 1000 do
    local ids = {}
    for i = from, math.min(from + 1000, count) - 1 do
      ids[#ids + 1] = permit_id(first, i)
    end
    for _, expiry in ipairs(redis.call('ZMSCORE', timeouts, unpack(ids))) do
      held = held + (expiry and tonumber(expiry) > now and 1 or 0)
    end
    removed = removed + redis.call('ZREM', timeouts, unpack(ids))
  end
  return removed, held
end
