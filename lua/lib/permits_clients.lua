-- Returns the names under which the clients of permits are told of them: the first eight bytes of
-- the id of a permit, in hex digits.
local function permits_clients(permits)
  local clients = {}
  for i = 1, #permits do
    clients[i] = string.gsub(string.sub(permits[i], 1, PERMIT_CLIENT_BYTES), '.', function(byte)
      return string.format('%02x', string.byte(byte))
    end)
  end
  return clients
end
