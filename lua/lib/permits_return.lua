-- Returns the permits of some claims to the pool and tells the waiters, with `tells` in any case:
-- how many were held until now. Expired ones are returned too, but nobody held them.
-- A claim is the id of its first permit and their number.
-- include lib/now_ms
-- include lib/permit_pool
-- include lib/permits_remove
-- include lib/permits_tell
local function permits_return(semaphore, timeouts, claims, tells, publish, channel)
  local left, wrong = permit_pool(semaphore)
  if wrong then
    return wrong
  end
  local now, removed, held = now_ms(), 0, 0
  for _, claim in ipairs(claims) do
    local count = tonumber(string.sub(claim, 17))
    local some_removed, some_held = permits_remove(timeouts, claim, count, now)
    removed, held = removed + some_removed, held + some_held
  end
  -- The permits of a semaphore that is gone are gone with it.
  if not left then
    return 0
  end
  if removed > 0 then
    redis.call('INCRBY', semaphore, removed)
  end
  if removed > 0 or tells then
    permits_tell(timeouts, now, left + removed, publish, channel)
  end
  return held
end
