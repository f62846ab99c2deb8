-- fair-lock/force-release: free a fair lock whoever holds it, at most once per request, and tell
-- the head of its queue.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] queue      list     waiting holders, the next one first
-- KEYS[4] timeouts   zset     waiting holder -> instant in ms at which Java counts it as absent
-- KEYS[5] beats      zset     private: client -> instant in ms at which it last stood in the queue
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   what the channel of each waiter begins with
-- returns string     1 it was held, 0 it was free; or why the request did not run

-- include lib/fair_head_to_tell
-- include lib/lock_not_read_write
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/tell

-- at most once: requests, number
local lock = KEYS[1]
local wrong = lock_not_read_write(lock)
if wrong then
  return wrong
end
request_keep_record(requests, ARGV[2])
local head = fair_head_to_tell(KEYS[3], KEYS[4], KEYS[5])
local answer = request_record(requests, number, tostring(redis.call('DEL', lock)))
if answer == '1' and head then
  return tell(answer, ARGV[3], ARGV[4] .. ':' .. head, '0')
end
return answer
