-- Takes the permits of some claims off, in chunks that a call can carry. An error when the server
-- refuses that, before any is off.
-- include lib/permit_ids
local function permits_remove(timeouts, claims)
  for _, claim in ipairs(claims) do
    local count = tonumber(string.sub(claim, 17))
    for from = 0, count - 1, 1000 do
      local ids = permit_ids(claim, from, math.min(from + 1000, count))
      local removed = redis.pcall('ZREM', timeouts, unpack(ids))
      if type(removed) == 'table' then
        return removed
      end
    end
  end
  return nil
end
