-- Grants a read-write lock that is free, or is about to be freed, to a writer in its wait queue, for the
-- window of its ticket. Returns the own channel of its client and the message about that: the holder id,
-- the server's time, the window, whether readers wait, and the lock.
-- include lib/own_channel
-- include lib/rw_leave_line
local function rw_grant(keys, now, id, window_ms, readers_wait)
  -- This takes something out: from then on the server refuses nothing for want of memory.
  rw_leave_line(keys, id)
  redis.call('UNLINK', keys.readers)
  local is_leased = redis.call('PEXPIRE', keys.lock, window_ms) == 1
  redis.call('HSET', keys.lock, 'mode', 'write', id .. ':write', 1)
  if not is_leased then
    redis.call('PEXPIRE', keys.lock, window_ms)
  end
  local message = string.format('x%s %.0f %s %.0f %s', id, now, window_ms, readers_wait, keys.lock)
  return own_channel(id, keys.lock, keys.publish), message
end
