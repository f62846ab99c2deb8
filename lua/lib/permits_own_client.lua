-- Returns the name under which the client with this record of requests is told of its permits.
local function permits_own_client(requests)
  local id = string.gsub(string.sub(requests, -CLIENT_ID_LENGTH), '-', '')
  return string.sub(id, 1, 2 * PERMIT_CLIENT_BYTES)
end
