-- Whether the client of a holder listens to its own channel, and that of another one, if there is one: 1
-- or 0 each. A user who may not ask gets 0.
local function own_listening(id, other)
  local answer = redis.pcall(
    'PUBSUB',
    'NUMSUB',
    'latchkey:' .. string.sub(id, 1, CLIENT_ID_LENGTH),
    other and 'latchkey:' .. string.sub(other, 1, CLIENT_ID_LENGTH) or ''
  )
  return (answer[2] or 0) > 0 and 1 or 0, (answer[4] or 0) > 0 and 1 or 0
end
