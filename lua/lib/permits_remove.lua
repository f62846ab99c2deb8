-- Takes the permits of some claims off, in chunks that a call can carry. An error when the server
-- refuses that, before any is off.
-- include lib/permits_ids
local function permits_remove(timeouts, claims)
  for _, claim in ipairs(claims) do
    local count = tonumber(string.sub(claim, 17))
    for from = 0, count - 1, PERMITS_CHUNK do
      local ids = permits_ids(claim, from, math.min(from + PERMITS_CHUNK, count))
      local removed = redis.pcall('ZREM', timeouts, unpack(ids))
      if type(removed) == 'table' then
        return removed
      end
    end
  end
  return nil
end
