-- semaphore/release: give permits back, at most once per request, and serve waiters with them.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] line       zset     private: clients that were passed over -> rank; lives 10 minutes
-- KEYS[4] beats      zset     private: client -> its last sign of life; lives 10 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   who releases
-- ARGV[6] must_queue integer  1 the client has a place in the line, or takes one; 0 it has none
-- ARGV[7] permits    integer  how many to give back
-- ARGV[8] may_create integer  1 a semaphore that is gone is made anew; 0 it gets none
-- ARGV[*] needs      integer  permits that each waiter needs; none: it serves nobody
-- returns string     waiters served, permits taken for them, ms after which asking again is worth
--                    while, permits left; "full" and the permits there are, when so many more do
--                    not fit into 32 bits; or why the request did not run

-- include lib/recall
-- include lib/record
-- include lib/available_permits
-- include lib/tell_available
-- include lib/serve_waiters
local semaphore, requests, number, floor, client = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[5]

local answer = recall(requests, number)
if answer then
  return answer
end
local available, exists = available_permits(semaphore)
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if available + ARGV[7] > 2147483647 then
  return record(requests, number, floor, string.format('full %.0f', available))
end
if exists or ARGV[8] == '1' then
  -- INCRBY, here as everywhere: it leaves the TTL alone.
  redis.call('INCRBY', semaphore, ARGV[7])
  available = available + ARGV[7]
end
local served, taken, retry_ms = 0, 0, -1
if #ARGV > 8 then
  served, taken, retry_ms = serve_waiters(
    semaphore,
    KEYS[3],
    KEYS[4],
    client,
    ARGV[6] == '1',
    available,
    { unpack(ARGV, 9) }
  )
  available = available - taken
end
answer = string.format('%.0f %.0f %.0f %.0f', served, taken, retry_ms, available)
record(requests, number, floor, answer)
-- Last of all: what the server refuses to publish is done and recorded.
tell_available(available, ARGV[3], ARGV[4])
return answer
