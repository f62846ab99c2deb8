-- Gives a permit, which expires at `end_ms`, another id (the same one, to leave it), and a lease of at least
-- `lease_ms` from now. Returns what is left of the lease, and for how long the semaphore lives.
-- include lib/leases_idle
-- include lib/leases_length
-- include lib/leases_write
-- include lib/permits_used
local function permits_rename(semaphore, timeouts, leases, from, to, now, end_ms, lease_ms)
  local score, life_ms = redis.call('ZSCORE', leases, from), redis.call('PTTL', semaphore)
  local idle_ms = life_ms >= 0 and leases_idle(leases)
  if idle_ms then
    -- The semaphore ends after the last lease.
    life_ms = -1
  end
  -- Others may bring an end that is too far ahead down to the length of the lease.
  local length_ms = score and leases_length(tonumber(score), end_ms) or math.huge
  local left_ms = math.max(math.min(end_ms - now, length_ms), lease_ms)
  -- These change nothing: a user who may not take the old id out changes nothing.
  redis.call('ZREM', leases, '')
  leases_write(timeouts, leases, to, now, left_ms, life_ms)
  if from ~= to then
    redis.call('ZREM', timeouts, from)
    redis.call('ZREM', leases, from)
  end
  if idle_ms then
    permits_used(semaphore, timeouts, leases, idle_ms, now)
  elseif life_ms > 0 then
    redis.call('PEXPIRE', timeouts, life_ms)
  end
  return left_ms, life_ms
end
