-- Keeps the `idleMs` of a permit-expirable semaphore with our leases.
-- include lib/zadd_for
local function leases_set_idle(leases, idle_ms)
  zadd_for(leases, GENERATION_TTL_MS, string.format('%.0f', IDLE_SCORE + idle_ms), 'idle')
end
