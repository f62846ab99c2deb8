-- Returns the window of the writer that waits right before the rank `since`; nil where there is none.
local function rw_before(keys, since)
  local count = redis.call('ZCOUNT', keys.writers, '-inf', string.format('(%.0f', since))
  local before = count > 0 and redis.call('ZRANGE', keys.writers, count - 1, count - 1)[1]
  local ticket = before and redis.call('HGET', keys.tickets, before)
  return ticket and string.match(ticket, '^%d+ (%d+)')
end
