-- Keeps the number of permits of a permit-expirable semaphore, which lives for `life_ms`, with our leases: it is the
-- first member. Where the permits that are taken are evicted, it shows how many are missing.
-- include lib/leases_ttl
-- include lib/zadd_for
local function leases_set_total(leases, total, life_ms)
  local score = string.format('%.0f', -1 - total)
  if redis.call('ZSCORE', leases, 'total') ~= score then
    zadd_for(leases, leases_ttl(life_ms), score, 'total')
  end
end
