-- Publishes messages about grants with the command `publish`, as the last step of a script, and returns its
-- reply as notify does. `told` has the own channel of a client and the message, for each.
local function notify_granted(reply, publish, told)
  local answer = { reply }
  for i = 1, #told, 2 do
    local receivers = redis.pcall(publish, told[i], told[i + 1])
    if type(receivers) == 'table' then
      answer[#answer + 1], answer[#answer + 2] = publish, told[i]
    end
  end
  return #answer > 1 and answer or reply
end
