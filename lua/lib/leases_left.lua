-- Returns for how many ms more a permit is held, never more than the length of a lease of ours.
-- include lib/leases_length
local function leases_left(score, expiry, now)
  local length_ms = score and leases_length(tonumber(score), expiry) or math.huge
  return math.min(expiry - now, length_ms)
end
