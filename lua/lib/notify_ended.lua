-- Tells each of `clients`, once and but for `own`, on its own channel that something it holds of `key`
-- is over, or will be sooner. Then it publishes `payload` on the channel of the object; without a
-- payload (nil or false) no waiter is notified, and `publish` and `channel` may be left out. This is the
-- last step of a script, and returns its reply as notify does.
--
-- In a cluster PUBLISH reaches a client whichever node it listens to.
local function notify_ended(reply, key, clients, own, publish, channel, payload)
  local answer, told = { reply }, { [own] = true }
  for i = 1, #clients do
    local client = clients[i]
    if not told[client] then
      told[client] = true
      local own_channel = PRODUCT_NAME .. ':' .. client
      local receivers = redis.pcall('PUBLISH', own_channel, 'e' .. key)
      if type(receivers) == 'table' then
        answer[2], answer[3] = 'PUBLISH', own_channel
      end
    end
  end
  local receivers = payload and redis.pcall(publish, channel, payload)
  if type(receivers) == 'table' then
    answer[#answer + 1], answer[#answer + 2] = publish, channel
  end
  return #answer > 1 and answer or reply
end
