-- Finds out who gets a fair lock that is about to be freed, and drops those that are absent. The first in
-- the queue that has a ticket is granted the lock; one without is notified that it is free. Returns the
-- message about that as a table with `command`, `channel` and `payload`, and with `is_granted` when it was granted.
-- Returns nil when nobody waits, or too many are absent for one call.
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
  local id, window_ms, left, at
  for _ = 1, SERVE_TRIES_MAX do
    id, window_ms, left, at = fair_first(lock, queue, timeouts, heartbeats, tickets, now, publish)
    if id or left ~= 0 then
      break
    end
    -- It has dropped as many absent ones as one look may, and those behind them may be notified by nobody else.
  end
  if not id then
    return nil
  end
  if window_ms then
    local channel, payload =
      fair_grant(lock, queue, timeouts, heartbeats, tickets, now, id, window_ms, at, publish)
    return { command = publish, channel = channel, payload = payload, is_granted = true }
  end
  return { command = publish, channel = prefix .. ':' .. id, payload = '0' }
end
