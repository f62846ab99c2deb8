-- Returns the 16 bytes of permit number `i`, from 0, of a grant: its first permit, with `i` added
-- to the last four bytes. So a request for many permits is no longer than a request for one.
local function permits_id(first, i)
  local last = (struct.unpack('>I4', first, 13) + i) % UINT32_COUNT
  return string.sub(first, 1, 12) .. struct.pack('>I4', last)
end
