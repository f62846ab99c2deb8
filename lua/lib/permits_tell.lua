-- Tells the waiters of a permit-expirable semaphore how many permits it has, expired ones included.
-- include lib/tell_available
local function permits_tell(timeouts, now, left, publish, channel)
  tell_available(left + redis.call('ZCOUNT', timeouts, '-inf', now), publish, channel)
end
