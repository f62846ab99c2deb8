-- lock/force-release: free a lock whoever holds it, at most once per request.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the lock listen
-- returns string     1 it was held, 0 it was free; or why the request did not run

-- include lib/request_keep_record
-- include lib/request_recall
-- include lib/request_record
-- include lib/tell
local lock, requests, number = KEYS[1], KEYS[2], ARGV[1]

local answer = request_recall(requests, number)
if answer then
  return answer
end
if redis.call('HEXISTS', lock, 'mode') == 1 then
  return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
end
request_keep_record(requests, ARGV[2])
answer = request_record(requests, number, tostring(redis.call('DEL', lock)))
if answer == '1' then
  return tell(answer, ARGV[3], ARGV[4], '0')
end
return answer
