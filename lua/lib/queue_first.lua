-- Returns the first live member of a wait queue (member -> rank), its rank, and the ms after which
-- it counts as absent without another heartbeat; nil when no member is alive.
-- A member without a heartbeat for 4 s is removed. One call removes at most 31; the next member
-- then counts as alive for a moment longer.
-- include lib/heard_at
local function queue_first(queue, heartbeats, now)
  for i = 1, 32 do
    local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
    if not first[1] then
      return nil
    end
    local heard = heard_at(heartbeats, first[1], now)
    local left = heard and heard + ABSENT_MS - now or 0
    if left > 0 then
      return first[1], tonumber(first[2]), left
    end
    if i == 32 then
      return first[1], tonumber(first[2]), 0
    end
    redis.call('ZREM', queue, first[1])
    redis.call('ZREM', heartbeats, first[1])
  end
end
