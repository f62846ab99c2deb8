-- Whether the client of the holder of a lock is to be told that `id`, which has a ticket, waits for it: where
-- that is another client, and listens to its own channel, and was not told of this holder. It is told then.
-- include lib/own_listeners
local function tells_holder(lock, tickets, owner, id, publish)
  if
    string.sub(owner, 1, CLIENT_ID_LENGTH) == string.sub(id, 1, CLIENT_ID_LENGTH)
    or redis.call('HGET', tickets, 'told') == owner
    or own_listeners(owner, lock, publish) == 0
  then
    return false
  end
  -- pcall: where the server takes no more data, that client is told again.
  redis.pcall('HSET', tickets, 'told', owner)
  return true
end
