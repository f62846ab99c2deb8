-- How many connections listen to the own channel of the client of a holder; 0 also for a user who may
-- not ask.
local function own_listeners(id)
  local answer = redis.pcall('PUBSUB', 'NUMSUB', 'latchkey:' .. string.sub(id, 1, CLIENT_ID_LENGTH))
  return answer[2] or 0
end
