-- Gives the place of a holder id in the line of a lock to another one of the same client, of which nothing is
-- known yet. Where there is no such place any more, or the server takes no more data, nothing changes.
local function line_replace(line, tickets, old, new)
  local ticket = redis.call('HGET', tickets, old)
  if ticket then
    local put = redis.pcall('HSET', tickets, new, ticket)
    if put == 1 and redis.call('LINSERT', line, 'BEFORE', old, new) < 1 then
      redis.call('RPUSH', line, new)
    end
    if type(put) ~= 'table' then
      redis.call('LREM', line, 1, old)
      redis.call('HDEL', tickets, old)
    end
  end
end
