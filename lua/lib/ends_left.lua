-- Returns for how many ms more a reader's lease with this score runs, never more than its length, up to a
-- twentieth more; and whether its end was later than that: the clock was set back since.
local function ends_left(score, now)
  local ends_at = math.floor(score)
  local steps = math.floor((score - ends_at) * LENGTH_STEPS + 0.5)
  local length_ms = steps > 0 and math.ceil(2 ^ (steps / 32)) or math.huge
  local left_ms = ends_at - now
  return math.min(left_ms, length_ms), left_ms > length_ms
end
