-- Returns the `idleMs` of a permit-expirable semaphore, which is kept with our leases; nil where it has none. It is
-- the last member: its score is above that of every lease.
local function leases_idle(leases)
  local last = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')
  return last[1] == 'idle' and last[2] - IDLE_SCORE or nil
end
