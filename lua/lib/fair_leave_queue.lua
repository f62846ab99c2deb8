-- Removes the entry of `holder` from a fair lock's queue, at whatever position it is, and its ticket.
-- The scores of the other entries stay: they are instants, and clients renew ours.
-- include lib/fair_settle_queue
local function fair_leave_queue(queue, timeouts, heartbeats, tickets, holder)
  -- These change nothing, but show that the removals below are allowed, before the entry leaves the
  -- list. One that is not there is searched for in the whole list.
  redis.call('ZREM', timeouts, '')
  redis.call('HDEL', tickets, '')
  if redis.call('LLEN', queue) == 1 and redis.call('LINDEX', queue, 0) == holder then
    redis.call('LREM', queue, 1, '')
    -- For the same reason this comes first.
    redis.call('DEL', heartbeats)
  end
  redis.call('LREM', queue, 1, holder)
  redis.call('ZREM', timeouts, holder)
  redis.call('HDEL', tickets, holder)
  fair_settle_queue(queue, timeouts, heartbeats)
end
