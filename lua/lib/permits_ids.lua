-- Returns the ids of the permits of a grant from number `from`, which starts at 0, to `to` - 1.
-- include lib/permits_id
local function permits_ids(first, from, to)
  local ids = {}
  for i = from, to - 1 do
    ids[#ids + 1] = permits_id(first, i)
  end
  return ids
end
