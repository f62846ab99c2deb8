-- requests/cancel: make sure that a request that was given up never runs, or tell what it did.
--
-- KEYS[1] requests   zset     private: this client's requests on one object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- returns string     the answer of the request if it ran before, else `cancelled`

-- include lib/keep_record
-- include lib/recall
-- include lib/record
local answer = recall(KEYS[1], ARGV[1])
if answer then
  return answer
end
keep_record(KEYS[1], ARGV[2])
return record(KEYS[1], ARGV[1], 'cancelled')
