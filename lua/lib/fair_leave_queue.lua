-- Takes `holder` out of a fair lock's queue, wherever it stands. Nobody else's score is shifted:
-- scores are instants, and ours are renewed.
-- include lib/fair_settle_queue
local function fair_leave_queue(queue, timeouts, beats, holder)
  -- Asked for where it changes nothing: it must not be refused once the entry has left the list.
  redis.call('ZREM', timeouts, '')
  redis.call('LREM', queue, 1, holder)
  redis.call('ZREM', timeouts, holder)
  fair_settle_queue(queue, timeouts, beats)
end
