-- Returns for how long the record of our leases is kept: as long as the semaphore, which lives for `life_ms`, or
-- for 30 days from the last lease where that has no limit.
local function leases_ttl(life_ms)
  return life_ms > 0 and life_ms or GENERATION_TTL_MS
end
