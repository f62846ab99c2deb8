-- Returns the `idleMs` of a permit-expirable semaphore, nil where it has none: `known_ms`, or the `stated_ms` of an
-- object, unless the semaphore `exists` and has a `ttlMs`.
-- include lib/leases_set_idle
local function permits_idle(semaphore, leases, stated_ms, exists, known_ms)
  local earlier_ms = exists and known_ms or nil
  if not stated_ms or stated_ms == earlier_ms then
    return earlier_ms
  elseif exists and not earlier_ms and redis.call('PTTL', semaphore) >= 0 then
    return nil
  end
  leases_set_idle(leases, stated_ms)
  return stated_ms
end
