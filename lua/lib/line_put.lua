-- Puts the ticket of a holder at the end of the line of a lock, or notes that it was heard of, and
-- whether its client listens to its own channel (`is_seen`), and to that of the lock. Returns what is to
-- be said of that: `is_seen`, or 2 when the server takes no more data: nothing was put; or an error.
-- Returns also whether nothing was known of any ticket before.
-- include lib/tickets_checked
local function line_put(line, tickets, id, now, window_ms, is_seen, is_listening)
  -- These fail where the keys hold something else: PEXPIRE would not.
  tickets_checked(tickets)
  redis.call('LLEN', line)
  -- First, so that a user who may not set a TTL leaves nothing without one.
  local is_there = redis.call('PEXPIRE', tickets, LINE_TTL_MS) == 1
  local ticket = string.format('%.0f %s %.0f %s', now, window_ms, is_seen, is_listening)
  local put = redis.pcall('HSET', tickets, id, ticket)
  if put == 1 then
    put = redis.pcall('RPUSH', line, id)
    if type(put) == 'table' then
      redis.pcall('HDEL', tickets, id)
    end
  end
  if type(put) == 'table' then
    return string.find(put.err, '^OOM') and 2 or put
  end
  redis.call('PEXPIRE', line, LINE_TTL_MS)
  if not is_there then
    redis.call('PEXPIRE', tickets, LINE_TTL_MS)
  end
  return is_seen, not is_there
end
