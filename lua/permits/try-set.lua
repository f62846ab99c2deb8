-- permits/try-set: set the number of permits unless one is set, at most once per request.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gives one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; shares that TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] permits    integer  the number to set
-- ARGV[4] ttl_ms     integer  life of the semaphore, 0 for no limit
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   where waiters of the semaphore listen
-- returns string     1 it was set, 0 one was set already; or why the request did not run

-- include lib/recall
-- include lib/record
-- include lib/permit_pool
local semaphore, timeouts, requests, number = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

local answer = recall(requests, number)
if answer then
  return answer
end
-- First of all what fails when the permits have become something else.
redis.call('ZCARD', timeouts)
local left, wrong = permit_pool(semaphore)
if wrong then
  return wrong
end
if left then
  return record(requests, number, ARGV[2], '0')
end
-- Permits of a semaphore that went without them, by a TTL of its own, were never meant for this one.
redis.call('UNLINK', timeouts)
redis.call('SET', semaphore, ARGV[3])
if tonumber(ARGV[4]) > 0 then
  redis.call('PEXPIRE', semaphore, ARGV[4])
end
record(requests, number, ARGV[2], '1')
if tonumber(ARGV[3]) > 0 then
  redis.call(ARGV[5], ARGV[6], ARGV[3])
end
return '1'
