-- Settles a fair lock's queue after entries were removed. With the last entry the heartbeats go.
-- The queue and the scores of the entries that stay lose their TTL unless the last entry is ours:
-- its client sets the TTL again. All entries may be Java's, which sets none.
local function fair_settle_queue(queue, timeouts, heartbeats)
  local last = redis.call('LINDEX', queue, -1)
  if not last then
    redis.call('DEL', heartbeats)
  elseif not redis.call('ZSCORE', heartbeats, string.sub(last, 1, CLIENT_ID_LENGTH)) then
    redis.call('PERSIST', queue)
    redis.call('PERSIST', timeouts)
  end
end
