-- semaphore/give-back: make sure that a request never runs (again), and undo what it took.
--
-- A release that was given up is made good for instead: if it never ran, its permits are released
-- here, and a later copy of it finds its number burnt.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] line       zset     private: clients that were passed over -> rank; lives 10 minutes
-- KEYS[4] beats      zset     private: client -> its last sign of life; lives 10 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   whose request it was
-- ARGV[6] leaves     integer  1 the client gives up its place in the line of all clients
-- ARGV[7] permits    integer  what the request was to release for certain; 0 nothing
-- returns integer    how many permits were given back

-- include lib/recall
-- include lib/record
-- include lib/tell_available
-- include lib/give_back_permits
local semaphore, requests, number, client = KEYS[1], KEYS[2], ARGV[1], ARGV[5]

local answer = recall(requests, number)
local permits = answer and tonumber(string.match(answer, '^%d+ (%d+)') or 0) or tonumber(ARGV[7])
-- First the number: whatever the key holds by now, the request is over.
redis.call('ZREMRANGEBYSCORE', requests, number, number)
record(requests, number, ARGV[2], 'cancelled')
local left = false
if ARGV[6] == '1' then
  left = redis.call('ZREM', KEYS[3], client) == 1
  redis.call('ZREM', KEYS[4], client)
end
if permits == 0 and not left then
  return 0
end
local given, available = give_back_permits(semaphore, permits)
tell_available(available, ARGV[3], ARGV[4])
return given
