-- Since when a number stands that is stated now for the first time: it is newer than those that are `known`, though the
-- clock was set back.
local function statement_since(known, count, now)
  local since = now
  for _, each in ipairs(known) do
    if each.count ~= count then
      since = math.max(since, each.since + 1)
    end
  end
  return since
end
