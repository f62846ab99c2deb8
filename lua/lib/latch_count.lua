-- Returns the count of a latch, 0 when there is none; and an error as well when the key holds
-- something else.
-- include lib/stored_count
local function latch_count(latch)
  local count, wrong = stored_count(latch)
  return math.max(count or 0, 0), wrong
end
