-- Puts the ticket of a holder at the end of the line of a lock, or notes that it was heard of, and
-- whether its client listens to its own channel, and to that of the lock. Returns 1 when the client was
-- seen to listen to its own, 0 when it was not, 2 when the server takes no more data: nothing was put;
-- or an error.
-- include lib/own_listeners
local function line_put(line, tickets, id, now, window_ms, is_listening)
  local is_seen = own_listeners(id) > 0 and 1 or 0
  local is_new = redis.call('HEXISTS', tickets, id) == 0
  -- First, so that a user who may not set a TTL leaves nothing without one.
  local is_there = redis.call('PEXPIRE', tickets, LINE_TTL_MS) == 1
  if is_new then
    local put = redis.pcall('RPUSH', line, id)
    if type(put) == 'table' then
      return string.find(put.err, '^OOM') and 2 or put
    end
  end
  redis.call('PEXPIRE', line, LINE_TTL_MS)
  local ticket = string.format('%.0f %s %.0f %s', now, window_ms, is_seen, is_listening)
  local put = redis.pcall('HSET', tickets, id, ticket)
  if type(put) == 'table' then
    return string.find(put.err, '^OOM') and 2 or put
  end
  if not is_there then
    redis.call('PEXPIRE', tickets, LINE_TTL_MS)
  end
  return is_seen
end
