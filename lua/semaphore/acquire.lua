-- semaphore/acquire: take permits for the waiters of one client, in order, as many as fit.
--
-- Only a grant is recorded: asking in vain writes next to nothing, and may be repeated.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] line       zset     private: clients that were passed over -> rank; lives 10 minutes
-- KEYS[4] beats      zset     private: client -> its last sign of life; lives 10 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   who asks
-- ARGV[6] must_queue integer  1 the client has a place in the line, or takes one; 0 it has none
-- ARGV[*] needs      integer  permits that each waiter needs
-- returns string     waiters served, permits taken, ms after which asking again is worth while
--                    (-1: nobody knows); or why the request did not run

-- include lib/recall
-- include lib/record
-- include lib/available_permits
-- include lib/tell_available
-- include lib/serve_waiters
local semaphore, requests, number, client = KEYS[1], KEYS[2], ARGV[1], ARGV[5]

local answer = recall(requests, number)
if answer then
  return answer
end
local available = available_permits(semaphore)
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
local served, taken, retry_ms, left =
  serve_waiters(semaphore, KEYS[3], KEYS[4], client, ARGV[6] == '1', available, { unpack(ARGV, 7) })
answer = string.format('%.0f %.0f %.0f', served, taken, retry_ms)
if served > 0 then
  record(requests, number, ARGV[2], answer)
end
if left then
  -- The other clients stood back for this one. Last of all: what the server refuses to publish is
  -- done and recorded.
  tell_available(available - taken, ARGV[3], ARGV[4])
end
return answer
