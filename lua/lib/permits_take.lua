-- Adds `count` permits with a lease from now on: at most a thousand, which one command can carry.
-- include lib/permits_id
-- include lib/leases_score
local function permits_take(timeouts, leases, first, count, now, lease_ms)
  local expiry, ends, records = now + lease_ms, {}, {}
  local end_text, score = string.format('%.0f', expiry), leases_score(now, expiry)
  for i = 0, count - 1 do
    local permit = permits_id(first, i)
    ends[2 * i + 1], ends[2 * i + 2] = end_text, permit
    records[2 * i + 1], records[2 * i + 2] = score, permit
  end
  redis.call('ZADD', timeouts, unpack(ends))
  redis.call('ZADD', leases, unpack(records))
end
