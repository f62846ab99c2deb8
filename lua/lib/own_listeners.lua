-- How many connections listen to the own channel of the client of a holder; 0, and true, for a user who
-- may not ask.
-- include lib/listeners
-- include lib/own_channel
local function own_listeners(id, lock, publish)
  local answer = listeners(publish, own_channel(id, lock, publish))
  return answer[2] or 0, answer.err ~= nil
end
