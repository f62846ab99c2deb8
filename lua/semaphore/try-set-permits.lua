-- semaphore/try-set-permits: set the permits of a semaphore that has none yet, at most once per
-- request.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gives one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] permits    integer  how many to set, at least 0
-- ARGV[6] ttl_ms     integer  life of the semaphore, 0 for no limit
-- returns string     1 they were set, 0 some were set already; or why the request did not run

-- include lib/recall
-- include lib/record
-- include lib/available_permits
-- include lib/tell_available
local semaphore, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]

local answer = recall(requests, number)
if answer then
  return answer
end
local available, exists = available_permits(semaphore)
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if exists then
  return record(requests, number, floor, '0')
end
redis.call('SET', semaphore, ARGV[5])
if tonumber(ARGV[6]) > 0 then
  redis.call('PEXPIRE', semaphore, ARGV[6])
end
record(requests, number, floor, '1')
-- Last of all: what the server refuses to publish is done and recorded.
tell_available(tonumber(ARGV[5]), ARGV[3], ARGV[4])
return '1'
