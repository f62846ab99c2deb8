-- Returns the rank of a new entry in the order of some wait queues: the server's time, or 1 more than the
-- highest rank there, where the clock was set back since. A rank says who asked first, and is never changed.
local function rank_new(micros, ...)
  local rank = micros
  for _, queue in ipairs({ ... }) do
    local last = redis.call('ZREVRANGE', queue, 0, 0, 'WITHSCORES')
    rank = math.max(rank, (tonumber(last[2]) or 0) + 1)
  end
  return rank
end
