-- requests/cancel: make sure that a request that was given up never runs, or say what it did.
--
-- KEYS[1] requests   zset     private: this client's requests on one object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- returns string     the answer of the request if it ran before, else `cancelled`

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_recall
-- include lib/request_record
local answer = request_recall(KEYS[1], ARGV[1])
if answer then
  return answer
end
request_keep_record(KEYS[1], ARGV[2])
return request_record(KEYS[1], ARGV[1], 'cancelled')
