-- Whether a field of a hash begins with a holder id, as ours and Redisson's do: the id of a client, which
-- is a UUID, a 64-bit integer, and then nothing, or a colon and more.
local function is_holder(field)
  local client, number = string.match(field, '^([%x-]+):%-?(%d+)$')
  if not client then
    client, number = string.match(field, '^([%x-]+):%-?(%d+):')
  end
  return client
    and #client == CLIENT_ID_LENGTH
    and #number < 20
    and string.find(client, '^%x+%-%x+%-%x+%-%x+%-%x+$') ~= nil
end
