-- Removes the entry of `holder` from a fair lock's queue, at whatever position it is. The scores of
-- the other entries stay: they are instants, and clients renew ours.
-- include lib/fair_settle_queue
local function fair_leave_queue(queue, timeouts, heartbeats, holder)
  -- This changes nothing, but shows that the ZREM below is allowed, before the entry leaves the
  -- list.
  redis.call('ZREM', timeouts, '')
  redis.call('LREM', queue, 1, holder)
  redis.call('ZREM', timeouts, holder)
  fair_settle_queue(queue, timeouts, heartbeats)
end
