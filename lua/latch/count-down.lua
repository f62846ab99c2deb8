-- latch/count-down: count a latch down by one, at most once per request; open it at zero.
--
-- KEYS[1] latch      string   the count; no TTL unless the caller gave one
-- KEYS[2] opened     string   private: mark of the latch, or of the last zero; lives as the latch
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the latch listen
-- ARGV[5] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     the count left; or why the request did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/latch_count
-- include lib/latch_open
-- include lib/notify

-- at most once: requests, number, until_ms
local latch = KEYS[1]
local count, wrong = latch_count(latch)
if wrong then
  return wrong
end
request_keep_record(requests, ARGV[2])
if count > 1 then
  redis.call('DECR', latch)
  return request_record(requests, number, string.format('%.0f', count - 1))
end
local opens = redis.call('EXISTS', latch) == 1
local refused = opens and latch_open(latch, KEYS[2])
if refused then
  return refused
end
request_record(requests, number, '0')
if opens then
  -- The payload `0` is published only with the removal of the key: at a positive count it makes
  -- Java spin.
  return notify('0', ARGV[3], ARGV[4], '0')
end
return '0'
