-- Grants a lock that is free, or is about to be freed, to a ticket in its line, for its window. Returns
-- the own channel of its client and the message about that: the holder id, the server's time, the
-- window, the last of its tokens or 0, and the lock. Returns an error when a right is missing, and nil when
-- there can be no token: nothing is held then.
-- include lib/needs_no_memory
-- include lib/own_channel
-- include lib/token_issue
local function line_grant(lock, line, tickets, token, now, id, window_ms, publish)
  needs_no_memory(tickets)
  local issued = token and token_issue(token, TOKEN_BLOCK) or '0'
  if type(issued) == 'table' then
    return string.find(issued.err, 'run this command', 1, true) and issued or nil
  end
  redis.call('HDEL', tickets, id, 'told')
  redis.call('LREM', line, 1, id)
  if redis.call('EXISTS', line) == 0 then
    -- The times of the turns are kept for as long as they matter.
    redis.call('PEXPIRE', tickets, TURN_TTL_MS)
  end
  local is_leased = redis.call('PEXPIRE', lock, window_ms) == 1
  redis.call('HSET', lock, id, 1)
  if not is_leased then
    redis.call('PEXPIRE', lock, window_ms)
  end
  local message = string.format('g%s %.0f %s %s %s', id, now, window_ms, issued, lock)
  return own_channel(id, lock, publish), message
end
