-- Gives a read-write lock that was found free to the first writer that can take it. Returns the channel
-- and the message about that; nil when it is given to nobody: readers come first, or no writer waits, or
-- it is left to those who stand in no line.
-- include lib/line_stands_back
-- include lib/rw_grant
-- include lib/rw_next_writer
local function rw_serve(keys, now)
  if redis.call('EXISTS', keys.writers) == 0 or line_stands_back(keys.tickets, now) > 0 then
    return nil
  end
  local id, window_ms, readers_wait = rw_next_writer(keys, now)
  if not id then
    return nil
  end
  return rw_grant(keys, now, id, window_ms, readers_wait)
end
