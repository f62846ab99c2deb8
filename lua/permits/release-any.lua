-- permits/release-any: return a permit to the pool whoever has it, at most once per request.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; shares that TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] claim      bytes    the permit, and the number 1
-- returns string     1 it was held until now, 0 it had expired or is not there; or why the request
--                    did not run

-- include lib/recall
-- include lib/record
-- include lib/permits_return
local requests, number = KEYS[3], ARGV[1]

local answer = recall(requests, number)
if answer then
  return answer
end
local held = permits_return(KEYS[1], KEYS[2], { ARGV[5] }, false, ARGV[3], ARGV[4])
if type(held) == 'table' then
  return held
end
return record(requests, number, ARGV[2], tostring(held))
