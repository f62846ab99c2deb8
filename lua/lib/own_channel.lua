-- The own channel of the client of a holder, on which it is told of a lock. Where messages are sharded a
-- client has one for each lock, in the slot of that.
local function own_channel(id, lock, publish)
  local channel = PRODUCT_NAME .. ':' .. string.sub(id, 1, CLIENT_ID_LENGTH)
  if publish == 'PUBLISH' then
    return channel
  end
  return channel .. ':' .. (string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}')
end
