-- latch/count-down: count a latch down by one, at most once per request; open it at zero.
--
-- KEYS[1] latch      string   the count; no TTL unless the caller gave one
-- KEYS[2] opened     string   private: time of the last zero; lives 10 minutes
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the latch listen
-- returns string     the count left; or why the request did not run

-- include lib/recall
-- include lib/record
-- include lib/latch_count
-- include lib/latch_open
local latch, requests, number, floor = KEYS[1], KEYS[3], ARGV[1], ARGV[2]

local answer = recall(requests, number)
if answer then
  return answer
end
local count = latch_count(latch)
if not count then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if count > 1 then
  redis.call('DECR', latch)
elseif redis.call('EXISTS', latch) == 1 then
  latch_open(latch, KEYS[2], ARGV[3], ARGV[4])
end
return record(requests, number, floor, string.format('%.0f', math.max(count - 1, 0)))
