-- Makes or renews the ticket of a writer that has an entry in the wait queue: when it was heard of, the
-- window of its grant, whether its client was seen to listen to its own channel, and whether that listens
-- to the channel of the lock. Returns whether nothing was known of any ticket before, or it had this one.
local function rw_put_ticket(tickets, id, now, window_ms, is_seen, is_listening)
  -- First, so that a user who may not set a TTL leaves nothing without one.
  local is_there = redis.call('PEXPIRE', tickets, LINE_TTL_MS) == 1
  local ticket = string.format('%.0f %s %.0f %s', now, window_ms, is_seen, is_listening)
  local is_new = redis.call('HSET', tickets, id, ticket) == 1
  if not is_there then
    redis.call('PEXPIRE', tickets, LINE_TTL_MS)
  end
  return not is_there or not is_new
end
