-- semaphore/acquire: take permits for the waiters of one client, in order, as many as fit.
--
-- Only a grant is recorded: a request that grants nothing may be repeated.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] queue      zset     private: wait queue, client -> rank; lives 10 minutes
-- KEYS[4] heartbeats zset     private: client -> its last heartbeat; lives 10 minutes
-- KEYS[5] marks      string   private: mark of this semaphore alone; has its TTL, or 30 days
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   the client that asks
-- ARGV[6] must_queue integer  1 the client has an entry in the queue, or gets one; 0 it has none
-- ARGV[*] needs      integer  for each waiter how many permits it needs
-- returns string     waiters served, permits taken for them, ms after which to ask again (-1:
--                    unknown), and the mark of the semaphore; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_generation
-- include lib/notify_available
-- include lib/serve_waiters

-- at most once: requests, number
local semaphore, client = KEYS[1], ARGV[5]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local available = stored or 0
local mark = semaphore_generation(KEYS[5])
needs_memory(requests)
local served, taken, retry_ms, has_left =
  serve_waiters(KEYS[3], KEYS[4], client, ARGV[6] == '1', available, { unpack(ARGV, 7) })
local answer = string.format('%.0f %.0f %.0f %s', served, taken, retry_ms, mark)
if served > 0 then
  request_keep_record(requests, ARGV[2])
  redis.call('DECRBY', semaphore, string.format('%.0f', taken))
  request_record(requests, number, answer)
end
if has_left then
  -- The other clients waited for this one.
  return notify_available(answer, available - taken, ARGV[3], ARGV[4])
end
return answer
