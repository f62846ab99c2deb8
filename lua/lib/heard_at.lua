-- Returns when `member` was last heard of, false when it was not. It is never later than `now`.
-- include lib/heard_again
local function heard_at(heartbeats, member, now)
  local heard = redis.call('ZSCORE', heartbeats, member)
  if heard and tonumber(heard) > now then
    heard_again(heartbeats, member, now)
    return now
  end
  return heard and tonumber(heard)
end
