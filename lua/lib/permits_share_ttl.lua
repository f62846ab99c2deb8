-- The permits live as long as their semaphore, if that has a TTL: how many ms that is, -1 if it has
-- none.
local function permits_share_ttl(semaphore, timeouts)
  local ttl = redis.call('PTTL', semaphore)
  if ttl > 0 then
    redis.call('PEXPIRE', timeouts, ttl)
  end
  return ttl
end
