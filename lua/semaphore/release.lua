-- semaphore/release: give permits back, at most once per request, and serve waiters with them.
--
-- Permits of a semaphore that is gone, or was made anew since, are gone with it.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] line       zset     private: clients that were passed over -> rank; lives 10 minutes
-- KEYS[4] beats      zset     private: client -> its last sign of life; lives 10 minutes
-- KEYS[5] marks      string   private: mark of this semaphore, no earlier one's; its TTL, or 30 days
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   who releases
-- ARGV[6] must_queue integer  1 the client has a place in the line, or takes one; 0 it has none
-- ARGV[7] permits    integer  how many to give back
-- ARGV[8] mark       string   that of the semaphore they were taken from; empty: they are for the one
--                             that is there, and make one if there is none
-- ARGV[*] needs      integer  permits that each waiter needs; none: it serves nobody
-- returns string     waiters served, permits taken for them, ms after which asking again is worth
--                    while, permits left, and the mark of the semaphore; "full" and the permits
--                    there are, when so many more do not fit into 32 bits; or why the request did
--                    not run

-- include lib/request_keep_record
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_generation
-- include lib/semaphore_new_generation
-- include lib/tell_available
-- include lib/serve_waiters

-- at most once: requests, number
local semaphore, client = KEYS[1], ARGV[5]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local available = stored or 0
local mark, is_theirs = semaphore_generation(KEYS[5], ARGV[8])
local is_anybodys = ARGV[8] == ''
local takes_them = is_anybodys or stored and is_theirs
request_keep_record(requests, ARGV[2])
if takes_them then
  if available + ARGV[7] > INT32_MAX then
    return request_record(requests, number, string.format('full %.0f', available))
  end
  if not stored then
    mark = semaphore_new_generation(KEYS[5], 0)
  end
  available = available + ARGV[7]
end
local served, taken, retry_ms = 0, 0, -1
if #ARGV > 8 then
  served, taken, retry_ms =
    serve_waiters(KEYS[3], KEYS[4], client, ARGV[6] == '1', available, { unpack(ARGV, 9) })
  available = available - taken
end
local change = (takes_them and tonumber(ARGV[7]) or 0) - taken
if takes_them or change ~= 0 then
  -- In one step, so that it is done or refused as a whole; and INCRBY, here as everywhere: it leaves
  -- the TTL alone.
  redis.call('INCRBY', semaphore, string.format('%.0f', change))
end
local answer = string.format('%.0f %.0f %.0f %.0f %s', served, taken, retry_ms, available, mark)
request_record(requests, number, answer)
return tell_available(answer, available, ARGV[3], ARGV[4])
