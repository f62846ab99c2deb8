-- Adds `count` permits that expire at `expiry`: at most a thousand, which one command can carry.
-- include lib/permits_id
local function permits_take(timeouts, first, count, expiry)
  local entries = {}
  for i = 0, count - 1 do
    entries[#entries + 1] = expiry
    entries[#entries + 1] = permits_id(first, i)
  end
  redis.call('ZADD', timeouts, unpack(entries))
end
