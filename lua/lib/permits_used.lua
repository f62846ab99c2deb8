-- Moves the end of a permit-expirable semaphore with an `idleMs`: it goes so long after this call and after the
-- end of the last lease that stands, so nothing goes while a permit is out, and a crash keeps nothing for ever.
-- A waiter asks again before that. Its time-outs and our leases end no sooner than the semaphore: without them, the
-- lease of a permit would be cut to the end of the semaphore. Returns an error when the server refuses it.
local function permits_used(semaphore, timeouts, leases, idle_ms, now)
  local last = redis.call('ZRANGE', timeouts, -1, -1, 'WITHSCORES')
  local stands_ms = math.max((tonumber(last[2]) or 0) - now, 0)
  local end_ms = string.format('%.0f', stands_ms + math.max(idle_ms, KEPT_MIN_MS))
  local moved = redis.pcall('PEXPIRE', semaphore, end_ms)
  if type(moved) == 'table' then
    return moved
  end
  redis.call('PEXPIRE', timeouts, end_ms)
  redis.call('PEXPIRE', leases, end_ms)
  return nil
end
