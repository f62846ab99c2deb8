-- Removes the entry of `holder` from a fair lock's queue, at whatever position it is, and its ticket.
-- The scores of the Java waiters right behind it no longer count it. Those of ours stay: their clients renew
-- them.
-- include lib/fair_close_up
-- include lib/fair_settle_queue
local function fair_leave_queue(queue, timeouts, heartbeats, tickets, holder, now)
  -- These change nothing, but show that the removals below are allowed, before the entry leaves the
  -- list. One that is not there is searched for in the whole list.
  redis.call('ZREM', timeouts, '')
  redis.call('HDEL', tickets, '')
  local at = redis.call('LINDEX', queue, 0) == holder and 0 or redis.call('LPOS', queue, holder)
  local behind = at and fair_close_up(queue, timeouts, heartbeats, holder, at, now) or {}
  if #behind > 0 then
    redis.call('ZADD', timeouts, unpack(behind))
  end
  if at == 0 and redis.call('LLEN', queue) == 1 then
    redis.call('LREM', queue, 1, '')
    -- For the same reason this comes first.
    redis.call('DEL', heartbeats)
  end
  redis.call('LREM', queue, 1, holder)
  redis.call('ZREM', timeouts, holder)
  redis.call('HDEL', tickets, holder, 'told')
  fair_settle_queue(queue, timeouts, heartbeats)
end
