-- The ids of permits `from`, from 0, up to but without `to` of a grant.
-- include lib/permit_id
local function permit_ids(first, from, to)
  local ids = {}
  for i = from, to - 1 do
    ids[#ids + 1] = permit_id(first, i)
  end
  return ids
end
