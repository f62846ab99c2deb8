-- Returns how many of the `count` permits of a grant are taken, and how many of those have not
-- expired. It asks in chunks that one command can carry.
-- include lib/permits_ids
local function permits_count(timeouts, first, count, now)
  local taken, held = 0, 0
  for from = 0, count - 1, PERMITS_CHUNK do
    local ids = permits_ids(first, from, math.min(from + PERMITS_CHUNK, count))
    for _, expiry in ipairs(redis.call('ZMSCORE', timeouts, unpack(ids))) do
      taken = taken + (expiry and 1 or 0)
      held = held + (expiry and tonumber(expiry) > now and 1 or 0)
    end
  end
  return taken, held
end
