-- Takes a writer out of the wait queue, and its ticket. Where no writer is left, the times of the turns
-- are kept for as long as they matter. Returns whether it stood there.
local function rw_leave_line(keys, id)
  local stood = redis.call('ZREM', keys.writers, id) == 1
  if stood then
    redis.call('ZREM', keys.heartbeats, id)
  end
  if
    redis.call('HDEL', keys.tickets, id, 'told') > 0 and redis.call('EXISTS', keys.writers) == 0
  then
    redis.call('PEXPIRE', keys.tickets, TURN_TTL_MS)
  end
  return stood
end
