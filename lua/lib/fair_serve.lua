-- Finds out who gets a fair lock that is about to be freed, and drops those that are absent. The first in
-- the queue that has a ticket is granted the lock; one without is notified that it is free. Returns the
-- message about that as a table with `command`, `channel` and `payload`; with `is_granted` when it was
-- granted, else with `client`, of a waiter of ours; with `is_unfinished` and nothing else when too many are
-- absent for one call. Returns nil when nobody waits.
--
-- This runs before the holder is taken out: a user who lacks a right changes nothing.
-- include lib/fair_first
-- include lib/fair_grant
-- include lib/now_ms
local function fair_serve(lock, queue, timeouts, heartbeats, tickets, publish, prefix)
  if redis.call('EXISTS', queue) == 0 then
    return nil
  end
  local now = now_ms()
  local id, window_ms, left, at =
    fair_first(lock, queue, timeouts, heartbeats, tickets, now, publish)
  if not id then
    return left and { is_unfinished = true }
  end
  if window_ms then
    local channel, payload =
      fair_grant(lock, queue, timeouts, heartbeats, tickets, now, id, window_ms, at, publish)
    return { command = publish, channel = channel, payload = payload, is_granted = true }
  end
  local client = string.sub(id, 1, CLIENT_ID_LENGTH)
  local is_ours = redis.call('ZSCORE', heartbeats, client) ~= false
  return {
    command = publish,
    channel = prefix .. ':' .. id,
    payload = '0',
    client = is_ours and client,
  }
end
