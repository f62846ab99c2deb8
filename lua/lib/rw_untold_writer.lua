-- Returns the first writer that can take a read-write lock if readers of Java have it, whose releases serve
-- no line, and its client does not listen to the channel of the lock; else nil.
-- include lib/rw_first_writer
local function rw_untold_writer(keys, now)
  if redis.call('HLEN', keys.lock) - 1 <= redis.call('ZCARD', keys.readers) then
    return nil
  end
  local id = rw_first_writer(keys, now, true)
  local ticket = id and redis.call('HGET', keys.tickets, id) or ''
  return string.sub(ticket, -1) == '0' and id or nil
end
