-- Returns the score of a reader's lease: when it ends, and behind the point how long it is, as 32 times the
-- binary logarithm of that, in 1/LENGTH_STEPS. So a script that meets an end too far ahead, since the clock
-- was set back, knows how far ahead it may be, and no other record of the lease is needed.
local function ends_score(now, lease_ms)
  local steps = math.min(math.ceil(32 * math.log(lease_ms) / math.log(2)) + 1, LENGTH_STEPS - 1)
  return string.format('%.4f', now + lease_ms + steps / LENGTH_STEPS)
end
