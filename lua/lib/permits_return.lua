-- Returns the permits of some claims to the pool. Returns how many were held until now, and how
-- many are available after it, nil when no waiter needs to be notified. Expired permits go back
-- too, but were not held. Returns an error when the key holds something else, or the server refuses
-- it.
-- A claim is the id of its first permit and their number. With `notifies` waiters are notified in
-- any case. With `looks` a semaphore with an `idleMs`
-- ends no later than it has to; without, it does so long after the end of the leases that are returned.
-- include lib/now_ms
-- include lib/stored_count
-- include lib/permits_count
-- include lib/permits_remove
-- include lib/leases_idle
-- include lib/permits_used
local function permits_return(semaphore, timeouts, leases, claims, notifies, looks)
  local left, wrong = stored_count(semaphore)
  if wrong then
    return wrong
  end
  local idle_ms = looks and left and leases_idle(leases)
  local now, taken, held = now_ms(), 0, 0
  for _, claim in ipairs(claims) do
    local count = tonumber(string.sub(claim, 17))
    local some_taken, some_held = permits_count(timeouts, claim, count, now)
    taken, held = taken + some_taken, held + some_held
  end
  -- The permits of a semaphore that is gone are gone with it.
  local pooled, available = left and taken or 0, nil
  if left and (taken > 0 or notifies) then
    -- Expired permits are available, whether they are returned here or not.
    available = left + redis.call('ZCOUNT', timeouts, '-inf', now) + held
  end
  if taken > 0 then
    -- At maxmemory the first write has to be one that needs no memory. This one also fails where the key
    -- holds something else.
    redis.call('ZREM', leases, '')
    if pooled > 0 then
      -- First comes what the same command can undo: a permit is never missing in both places.
      redis.call('INCRBY', semaphore, pooled)
    end
    local refused = permits_remove(timeouts, leases, claims)
    if refused then
      if pooled > 0 then
        redis.call('INCRBY', semaphore, -pooled)
      end
      return refused
    end
  end
  if idle_ms and taken > 0 then
    -- Where the server refuses it the semaphore goes later: after the end of the lease that was released.
    permits_used(semaphore, timeouts, leases, idle_ms, now)
  end
  return left and held or 0, available
end
