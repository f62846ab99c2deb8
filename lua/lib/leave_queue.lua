-- Takes `holder` out of a fair lock's queue, wherever it stands. Nobody else's score is shifted:
-- scores are instants, and ours are renewed.
local function leave_queue(queue, timeouts, beats, holder)
  redis.call('LREM', queue, 1, holder)
  redis.call('ZREM', timeouts, holder)
  local last = redis.call('LINDEX', queue, -1)
  if not last then
    redis.call('DEL', beats)
  elseif not redis.call('ZSCORE', beats, string.sub(last, 1, 36)) then
    -- Those who stay may all be Java's, which sets no TTL; if any are ours they set it again.
    redis.call('PERSIST', queue)
    redis.call('PERSIST', timeouts)
  end
end
