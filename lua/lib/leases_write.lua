-- Writes the lease of a permit, first in the record of our leases: where that fails the permit is as it was.
-- The caller has shown that the key holds no other type.
-- include lib/leases_score
-- include lib/leases_ttl
-- include lib/zadd_for
local function leases_write(timeouts, leases, permit, now, lease_ms, life_ms)
  local expiry = now + lease_ms
  -- At maxmemory the first write has to be one that needs no memory, as the first one here.
  zadd_for(leases, leases_ttl(life_ms), leases_score(now, expiry), permit)
  redis.call('ZADD', timeouts, string.format('%.0f', expiry), permit)
end
