-- Publishes messages about grants, as the last step of a script, and returns its reply as notify does.
-- `told` has the own channel of a client and the message, for each.
local function notify_granted(reply, told)
  local answer = { reply }
  for i = 1, #told, 2 do
    local receivers = redis.pcall('PUBLISH', told[i], told[i + 1])
    if type(receivers) == 'table' then
      answer[#answer + 1], answer[#answer + 2] = 'PUBLISH', told[i]
    end
  end
  return #answer > 1 and answer or reply
end
