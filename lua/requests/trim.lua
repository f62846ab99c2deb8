-- requests/trim: forget the answers of requests that are settled, after many were recorded at once.
--
-- KEYS[1] requests   zset     private: this client's requests on one object; lives 30 minutes
-- ARGV[1] low_water  integer  low-water mark: every request with a smaller number is settled
-- returns integer    1 there was a record, 0 there was none, and none is made

-- at maxmemory: carried out
-- include lib/zadd_for
local requests = KEYS[1]
if redis.call('EXISTS', requests) == 0 then
  return 0
end
-- Before any answer goes: without the mark a late copy of its request would run again. A mark that is
-- higher stays.
zadd_for(requests, RECORD_MS, 'LT', '-' .. ARGV[1], 'floor')
local floor = redis.call('ZSCORE', requests, 'floor')
local low_water = string.sub(floor, 2)
if redis.call('ZCOUNT', requests, low_water, '+inf') > 0 then
  redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. low_water)
else
  -- A zset that was large keeps its tables when it is emptied: it is made anew.
  redis.call('UNLINK', requests)
  zadd_for(requests, RECORD_MS, floor, 'floor')
end
return 1
