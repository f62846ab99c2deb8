-- Grants a read-write lock that is free, or is about to be freed, to a writer in its wait queue, for the
-- window of its ticket. Returns the own channel of its client and the message about that: the holder id,
-- the server's time, the window, whether readers wait, and the lock.
-- include lib/own_channel
-- include lib/rw_leave_line
local function rw_grant(keys, now, id, window_ms, readers_wait)
  -- These change nothing about the line, nor about a lock that is to be freed: a user who lacks a right is
  -- refused here. After them the server refuses nothing for want of memory.
  redis.call('ZREM', keys.writers, '')
  redis.call('HDEL', keys.tickets, '')
  redis.call('HDEL', keys.lock, '')
  local is_leased = redis.call('PEXPIRE', keys.lock, window_ms) == 1
  redis.call('DEL', keys.readers)
  redis.call('HSET', keys.lock, 'mode', 'write', id .. ':write', 1)
  rw_leave_line(keys, id)
  if not is_leased then
    redis.call('PEXPIRE', keys.lock, window_ms)
  end
  local message = string.format('x%s %.0f %s %.0f %s', id, now, window_ms, readers_wait, keys.lock)
  return own_channel(id, keys.lock, keys.publish), message
end
