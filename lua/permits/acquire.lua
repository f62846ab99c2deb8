-- permits/acquire: take permits for the waiters of one client, in order, as many as fit.
--
-- A waiter gets all its permits or none, and nobody passes one that does not fit. What has expired
-- by the server's time is returned first. Only a grant is recorded: asking in vain may be repeated.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; shares that TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] line       zset     private: clients that were passed over -> rank; lives 10 minutes
-- KEYS[5] beats      zset     private: client -> its last sign of life; lives 10 minutes
-- ARGV[1] number     integer  number of the request
-- ARGV[2] floor      integer  every request below it is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   who asks
-- ARGV[6] must_queue integer  1 the client has a place in the line, or takes one; 0 it has none
-- ARGV[*] claims     bytes    for each waiter the id of its first permit, the number of its permits,
--                             a space, and its lease in ms
-- returns string     waiters served, ms after which asking again is worth while (-1: nobody knows),
--                    and ms that the semaphore lives (-1: for ever); or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/now_ms
-- include lib/stored_count
-- include lib/permits_reclaim
-- include lib/permits_take
-- include lib/permits_expiry_ms
-- include lib/serve_waiters
-- include lib/tell
-- include lib/tell_available

-- at most once: requests, number
local semaphore, timeouts = KEYS[1], KEYS[2]
local pool, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local counts, leases = {}, {}
for i = 7, #ARGV do
  local count, lease = string.match(ARGV[i], '^(%d+) (%d+)$', 17)
  counts[i - 6], leases[i - 6] = tonumber(count), tonumber(lease)
end

needs_memory(requests)
local now = now_ms()
-- The permits of a semaphore that is gone are gone with it.
local reclaimed, expired = 0, 0
if pool then
  reclaimed, expired = permits_reclaim(semaphore, timeouts, now)
end
if type(reclaimed) == 'table' then
  return reclaimed
end
local available = (pool or 0) + reclaimed + expired
local served, taken, retry_ms, left =
  serve_waiters(KEYS[4], KEYS[5], ARGV[5], ARGV[6] == '1', available, counts)
available = available - taken
local life_ms = -1
if served > 0 then
  life_ms = redis.call('PTTL', semaphore)
  -- It also shows that permits can be entered, and be given the TTL of their semaphore.
  request_keep_record(requests, ARGV[2])
  redis.call('DECRBY', semaphore, string.format('%.0f', taken))
  for i = 1, served do
    permits_take(timeouts, ARGV[i + 6], counts[i], string.format('%.0f', now + leases[i]))
  end
  if life_ms > 0 then
    redis.call('PEXPIRE', timeouts, life_ms)
  end
end
if retry_ms < 0 and served < #counts and pool then
  retry_ms = permits_expiry_ms(timeouts, expired + counts[served + 1] - available, now)
end
local answer = string.format('%.0f %.0f %.0f', served, retry_ms, life_ms)
if served > 0 then
  request_record(requests, number, answer)
end
if left then
  -- A 0 as well: who stood back sleeps for as long as this client may be silent, and is to look when
  -- the next permit expires.
  return tell(answer, ARGV[3], ARGV[4], string.format('%.0f', math.max(available, 0)))
elseif reclaimed > 0 then
  return tell_available(answer, available, ARGV[3], ARGV[4])
end
return answer
