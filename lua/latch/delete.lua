-- latch/delete: remove a latch and let its waiters go, at most once per request.
--
-- KEYS[1] latch      string   the count; no TTL unless the caller gave one
-- KEYS[2] opened     string   private: mark of the latch, or of the last zero; lives as the latch
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the latch listen
-- ARGV[5] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was there, 0 it was not; or why the request did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/latch_count
-- include lib/latch_open
-- include lib/notify

-- at most once: requests, number, until_ms
local latch = KEYS[1]
local _, wrong = latch_count(latch)
if wrong then
  return wrong
end
request_keep_record(requests, ARGV[2])
if redis.call('EXISTS', latch) == 0 then
  return request_record(requests, number, '0')
end
local refused = latch_open(latch, KEYS[2])
if refused then
  return refused
end
return notify(request_record(requests, number, '1'), ARGV[3], ARGV[4], '0')
