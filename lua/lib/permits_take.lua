-- Enters `count` permits that expire at `expiry`, in chunks that a call can carry.
-- include lib/permit_id
local function permits_take(timeouts, first, count, expiry)
  for from = 0, count - 1, 1000 do
    local entries = {}
    for i = from, math.min(from + 1000, count) - 1 do
      entries[#entries + 1] = expiry
      entries[#entries + 1] = permit_id(first, i)
    end
    redis.call('ZADD', timeouts, unpack(entries))
  end
end
