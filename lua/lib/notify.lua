-- Publishes `payload`, as the last step of a script, and returns the reply of the script.
-- A message that the server refuses neither undoes nor hides what was done: the reply is then an
-- array of `reply`, and of the command and the channel that are refused.
local function notify(reply, publish, channel, payload)
  if type(redis.pcall(publish, channel, payload)) == 'table' then
    -- A nil would end the array; a false is sent as null.
    return { reply or false, publish, channel }
  end
  return reply
end
