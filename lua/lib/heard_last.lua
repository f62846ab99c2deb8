-- Returns the last of some heartbeats, nil when there is none. It is never later than `now`.
-- include lib/heard_again
local function heard_last(heartbeats, now)
  local last = redis.call('ZREVRANGE', heartbeats, 0, 0, 'WITHSCORES')
  local heard = tonumber(last[2])
  if heard and heard > now then
    heard_again(heartbeats, last[1], now)
    return now
  end
  return heard
end
