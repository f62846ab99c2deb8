-- What becomes of a fair lock's queue after entries were taken out: with the last entry the beats go.
-- Queue and scores of those who stay lose their TTL unless the last one is ours, who sets it again:
-- they may all be Java's, which sets none.
local function fair_settle_queue(queue, timeouts, beats)
  local last = redis.call('LINDEX', queue, -1)
  if not last then
    redis.call('DEL', beats)
  elseif not redis.call('ZSCORE', beats, string.sub(last, 1, CLIENT_ID_LENGTH)) then
    redis.call('PERSIST', queue)
    redis.call('PERSIST', timeouts)
  end
end
