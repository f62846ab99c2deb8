-- Whether nothing is known of one grant of a request of a client: it may have been given back, or its field has made
-- room for others.
local function semaphore_forgot(key, record, client, mark, place)
  local born, number = string.match(mark, '^%d+:(%d+):(%d+)$')
  return tonumber(born) <= record.forgotten
    and redis.call('HEXISTS', key, client .. ':' .. number .. ':' .. place) == 0
end
