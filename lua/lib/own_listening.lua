-- Whether the client of a holder listens to its own channel, and that of another one, if there is one: 1
-- or 0 each. A user who may not ask gets 0.
-- include lib/listeners
-- include lib/own_channel
local function own_listening(id, other, lock, publish)
  local answer = listeners(
    publish,
    own_channel(id, lock, publish),
    other and own_channel(other, lock, publish) or ''
  )
  return (answer[2] or 0) > 0 and 1 or 0, (answer[4] or 0) > 0 and 1 or 0
end
