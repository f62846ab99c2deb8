-- Removes the permits of some claims from those that are taken, and their leases, in chunks that one command can
-- carry. Returns an error when the server refuses that; none is removed then.
-- include lib/permits_ids
local function permits_remove(timeouts, leases, claims)
  for _, claim in ipairs(claims) do
    local count = tonumber(string.sub(claim, 17))
    for from = 0, count - 1, PERMITS_CHUNK do
      local ids = permits_ids(claim, from, math.min(from + PERMITS_CHUNK, count))
      local removed = redis.pcall('ZREM', timeouts, unpack(ids))
      if type(removed) == 'table' then
        return removed
      end
      redis.call('ZREM', leases, unpack(ids))
    end
  end
  return nil
end
