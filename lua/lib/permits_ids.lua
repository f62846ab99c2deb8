-- The ids of permits `from`, from 0, up to but without `to` of a grant.
-- include lib/permits_id
local function permits_ids(first, from, to)
  local ids = {}
  for i = from, to - 1 do
    ids[#ids + 1] = permits_id(first, i)
  end
  return ids
end
