-- Returns the clients of the holders in a hash, of which `fields` has the fields and values.
local function clients_of_holders(fields)
  local clients = {}
  for i = 1, #fields, 2 do
    if string.sub(fields[i], CLIENT_ID_LENGTH + 1, CLIENT_ID_LENGTH + 1) == ':' then
      clients[#clients + 1] = string.sub(fields[i], 1, CLIENT_ID_LENGTH)
    end
  end
  return clients
end
