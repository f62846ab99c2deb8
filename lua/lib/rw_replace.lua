-- Gives the place of a writer in the wait queue to another writer of the same client, of which nothing is known
-- yet. Where there is no such place any more, nothing changes. Returns whether the new writer stands further
-- back, so that readers may come before it that waited for the old one.
--
-- A reader must not wait for a writer that asked later. So where a reader waits since before `rank`, the new
-- writer has its own rank, which is never below that of its place, nor above now.
-- include lib/needs_memory
-- include lib/queue_heartbeat
-- include lib/rank_new
-- include lib/rw_leave_line
local function rw_replace(keys, old, new, rank, micros)
  local since = tonumber(redis.call('ZSCORE', keys.writers, old) or 0)
  if since == 0 then
    return false
  end
  local latest = rank_new(micros, keys.writers, keys.waiting)
  rank = rank > 0 and math.min(rank, latest) or latest
  local before = string.format('(%.0f', rank)
  local is_behind = #redis.call('ZRANGEBYSCORE', keys.waiting, '-inf', before, 'LIMIT', 0, 1) == 1
  -- These change nothing: a user who may not take the old one out changes nothing.
  needs_memory(keys.writers)
  redis.call('ZREM', keys.writers, '')
  redis.call('HDEL', keys.tickets, '')
  local ticket = redis.call('HGET', keys.tickets, old)
  if ticket then
    redis.call('HSET', keys.tickets, new, ticket)
  end
  rank = is_behind and math.max(since, rank) or since
  redis.call('ZADD', keys.writers, rank, new)
  queue_heartbeat(keys.heartbeats, new, math.floor(micros / 1000))
  rw_leave_line(keys, old)
  return rank > since
end
