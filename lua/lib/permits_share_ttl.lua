-- The permits live as long as their semaphore, if that has a TTL.
local function permits_share_ttl(semaphore, timeouts)
  local ttl = redis.call('PTTL', semaphore)
  if ttl > 0 then
    redis.call('PEXPIRE', timeouts, ttl)
  end
end
