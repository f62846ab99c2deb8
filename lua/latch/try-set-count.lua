-- latch/try-set-count: set the count of a latch unless one is set, at most once per request.
--
-- KEYS[1] latch      string   the count; no TTL unless the caller gives one
-- KEYS[2] opened     string   private: mark of the latch, or of the last zero; lives as the latch
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] count      integer  the count to set, at least 1
-- ARGV[4] ttl_ms     integer  life of the latch, 0 for no limit
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   where waiters of the latch listen
-- ARGV[7] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was set, 0 one was set already; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/next_mark
-- include lib/request_record
-- include lib/latch_count
-- include lib/set_for
-- include lib/notify

-- at most once: requests, number, until_ms
local latch = KEYS[1]
local count, wrong = latch_count(latch)
if wrong then
  return wrong
end
-- Before the first write: it fails where the key holds something else.
local mark = count == 0 and next_mark(redis.call('GET', KEYS[2]))
needs_memory(requests)
request_keep_record(requests, ARGV[2])
if count > 0 then
  return request_record(requests, number, '0')
end
-- No latch was there. A waiter that has seen one finds another mark, and knows that it is over.
-- The mark lives as long as the latch, and at least as long as that of a zero, which it replaces.
local ttl_ms = tonumber(ARGV[4])
local life_ms = ttl_ms > 0 and math.max(ttl_ms, OPENED_TTL_MS) or GENERATION_TTL_MS
redis.call('SET', KEYS[2], mark, 'PX', string.format('%.0f', life_ms))
set_for(latch, ARGV[3], ARGV[4])
return notify(request_record(requests, number, '1'), ARGV[5], ARGV[6], '1')
