-- expirable-semaphore/acquire: take permits for the waiters of one client, in order, as many as fit.
--
-- A waiter gets all its permits or none, and no waiter overtakes one that does not fit. Permits
-- that have expired by the server's time are returned first. Only a grant is recorded: any other request
-- may be repeated.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] queue      zset     private: wait queue, client -> rank; lives 10 minutes
-- KEYS[5] heartbeats zset     private: client -> its last heartbeat; lives 10 minutes
-- KEYS[6] leases     zset     private: permit -> when we wrote its lease, and the semaphore's idleMs and number of
--                             permits; has its TTL, or 30 days
-- KEYS[7] deleted    string   private: the semaphore was deleted; lives 24 hours, or until it is made again
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   the client that asks
-- ARGV[6] must_queue integer  1 the client has an entry in the queue, or gets one; 0 it has none
-- ARGV[7] declared   string   1 a waiter is of an object that declares a number; empty: none is
-- ARGV[*] claims     bytes    for each waiter the id of its first permit, the number of its
--                             permits, a space, and its lease in ms
-- returns string     waiters served, ms after which to ask again (-1: unknown), ms that the semaphore lives
--                    (-1: no limit; -2: there is none; -3: there is none, and it was deleted), and the total
--                    where one of them declares a number; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/now_ms
-- include lib/stored_count
-- include lib/permits_revive
-- include lib/leases_missing
-- include lib/leases_set_total
-- include lib/permits_reclaim
-- include lib/permits_take
-- include lib/leases_ttl
-- include lib/leases_forget
-- include lib/leases_bring_down
-- include lib/leases_idle
-- include lib/permits_used
-- include lib/permits_expiry_ms
-- include lib/serve_waiters
-- include lib/notify
-- include lib/notify_available

-- at most once: requests, number
local semaphore, timeouts, leases, is_declared = KEYS[1], KEYS[2], KEYS[6], ARGV[7] ~= ''
local pool, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local counts, lengths = {}, {}
for i = 8, #ARGV do
  local count, lease = string.match(ARGV[i], '^(%d+) (%d+)$', 17)
  counts[i - 7], lengths[i - 7] = tonumber(count), tonumber(lease)
end
-- All permits that are taken count, expired or not: expired ones have only not been returned yet.
local total = is_declared and redis.call('ZCARD', timeouts) + (pool or 0)
local is_deleted = (is_declared or not pool) and redis.call('GET', KEYS[7])
needs_memory(leases)
permits_revive(KEYS[7], pool, is_deleted)
local now = now_ms()
-- The permits of a semaphore that does not exist any more are gone with it.
local reclaimed, expired, is_empty = 0, 0, false
if pool then
  reclaimed, expired, is_empty = permits_reclaim(semaphore, timeouts, leases, now)
end
if type(reclaimed) == 'table' then
  return reclaimed
end
local available, missing, recorded = (pool or 0) + reclaimed + expired, 0, nil
if pool and is_empty then
  missing, recorded = leases_missing(leases, pool, 0)
  available, total = available + missing, total and total + missing
end
local served, taken, retry_ms, has_left =
  serve_waiters(KEYS[4], KEYS[5], ARGV[5], ARGV[6] == '1', available, counts)
available = available - taken
local life_ms, idle_ms = pool and -1 or is_deleted and -3 or -2, nil
if served > 0 then
  life_ms = math.max(redis.call('PTTL', semaphore), -1)
  -- This also shows that permits can be added to a zset, and that a TTL can be set.
  request_keep_record(requests, ARGV[2])
end
if served > 0 and now % KEPT_EVERY == 0 then
  leases_forget(timeouts, leases)
end
if life_ms >= 0 then
  idle_ms = leases_idle(leases)
end
local are_more_ahead, found_ms = false, nil
if served < #counts and pool then
  are_more_ahead, found_ms = leases_bring_down(timeouts, leases, now)
end
if found_ms and served == 0 then
  -- An ask in vain is a use as well.
  idle_ms = found_ms
end
if idle_ms then
  -- It ends after the last lease.
  life_ms = -1
end
if is_empty and served > 0 and recorded ~= pool + missing then
  -- Java has made the semaphore, or has changed its number.
  leases_set_total(leases, pool + missing, life_ms)
end
if taken > 0 or missing > 0 then
  redis.call('DECRBY', semaphore, string.format('%.0f', taken - missing))
end
for i = 1, served do
  permits_take(timeouts, leases, ARGV[i + 7], counts[i], now, lengths[i])
end
if served > 0 then
  redis.call('PEXPIRE', leases, leases_ttl(life_ms))
end
if idle_ms then
  permits_used(semaphore, timeouts, leases, idle_ms, now)
elseif served > 0 and life_ms > 0 then
  redis.call('PEXPIRE', timeouts, life_ms)
end
if are_more_ahead then
  retry_ms = 0
elseif retry_ms < 0 and served < #counts and pool then
  retry_ms = permits_expiry_ms(timeouts, expired + counts[served + 1] - available, now)
end
local answer = string.format('%.0f %.0f %.0f', served, retry_ms, life_ms)
if total then
  answer = answer .. string.format(' %.0f', total)
end
if served > 0 then
  request_record(requests, number, answer)
end
if has_left then
  -- A 0 is published as well: the clients behind this one sleep until it would count as absent, but
  -- have to wake up when the next permit expires.
  return notify(answer, ARGV[3], ARGV[4], string.format('%.0f', math.max(available, 0)))
elseif reclaimed + missing > 0 then
  return notify_available(answer, available, ARGV[3], ARGV[4])
end
return answer
