-- Publishes `payload`, which is the last that a script does, and returns the reply of the script:
-- `reply`, raised with `counts` by the number of connections that were told. A message that the
-- server refuses neither undoes nor hides what was done: the reply is then a pair, `reply` and why.
local function tell(reply, publish, channel, payload, counts)
  local told = redis.pcall(publish, channel, payload)
  if type(told) == 'table' then
    -- A nil would end the array; a false is sent as null.
    return { reply or false, told.err }
  end
  return counts and reply + told or reply
end
