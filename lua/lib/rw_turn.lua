-- Whether a release has to free a read-write lock openly: see line_turn. `listens` says how many
-- connections of the client that releases listen to the channel of the lock, -1 that it does not stand
-- back. A client whose readers wait listens to it.
-- include lib/line_turn
local function rw_turn(keys, has_line, client, listens, publish, channel, now)
  if not has_line and listens == '-1' then
    return false
  end
  local own = redis.call('ZCARD', keys.waiting)
  local is_counted = own > 0 and redis.call('ZSCORE', keys.waiting, client)
    or redis.call('HEXISTS', keys.tickets, client) == 1
  if not is_counted then
    own = own + math.max(0, listens)
  end
  local length = has_line and redis.call('ZCARD', keys.writers) or 0
  return line_turn(keys.tickets, length, own, publish, channel, now)
end
