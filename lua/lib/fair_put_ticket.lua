-- Makes or renews the ticket of an entry in a fair lock's queue. Returns '1' when its client was seen to
-- listen to its own channel, and else '0'.
-- include lib/own_listeners
local function fair_put_ticket(lock, tickets, holder, window_ms, publish)
  local is_seen = own_listeners(holder, lock, publish) > 0 and '1' or '0'
  -- First, so that a user who may not set a TTL leaves nothing without one.
  local is_there = redis.call('PEXPIRE', tickets, QUEUE_TTL_MS) == 1
  redis.call('HSET', tickets, holder, window_ms .. ' ' .. is_seen)
  if not is_there then
    redis.call('PEXPIRE', tickets, QUEUE_TTL_MS)
  end
  return is_seen
end
