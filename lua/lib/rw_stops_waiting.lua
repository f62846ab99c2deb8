-- Takes a client, of which no reader waits any more, out of the wait queue. Returns whether it stood there.
-- It listens to the channel of the lock a little longer, which `tickets` has until then, where the lock is
-- handed on: see line_turn.
-- include lib/tickets_checked
local function rw_stops_waiting(keys, client, now)
  if redis.call('ZREM', keys.waiting, client) == 0 then
    return false
  end
  redis.call('ZREM', keys.heartbeats, client)
  local ttl_ms = redis.call('PTTL', keys.tickets)
  if ttl_ms > 0 then
    tickets_checked(keys.tickets)
    redis.call('HSET', keys.tickets, client, string.format('%.0f 0 0 1', now))
    redis.call('PEXPIRE', keys.tickets, math.max(ttl_ms, LISTENS_ON_MS))
  end
  return true
end
