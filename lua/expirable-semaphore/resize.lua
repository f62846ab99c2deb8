-- expirable-semaphore/resize: grow or shrink the number of permits, at most once per request.
--
-- Permits in use are not revoked: after a shrink the number of permits left may be negative.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] leases     zset     private: permit -> when we wrote its lease, and the number of permits; has the
--                             semaphore's TTL, or 30 days
-- KEYS[5] deleted    string   private: the semaphore was deleted; lives 24 hours, or until it is made again
-- KEYS[6] statements hash     private: number -> when it was first stated with `set`, and last kept alive; lives
--                             24 hours
-- KEYS[*] twin       string   the name with which this one shares its permits, where there is one
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] way        string   to: set the total; by: add to it
-- ARGV[4] permits    integer  the total, or the number to add
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   where waiters of the semaphore listen
-- ARGV[7] declared   string   empty: the object declares no number; else its idleMs, 0: none
-- ARGV[8] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was done, 0 the total would not fit into the 32 bits that Java can read;
--                    "none" where there is no semaphore to add to for an object that declares a number, and
--                    none was deleted: nothing was done; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/now_ms
-- include lib/stored_count
-- include lib/notify_available
-- include lib/notify_made
-- include lib/leases_set_total
-- include lib/leases_missing
-- include lib/permits_revive
-- include lib/permits_twin_refusal
-- include lib/leases_idle
-- include lib/statements_known
-- include lib/statements_read
-- include lib/statement_since
-- include lib/permits_idle
-- include lib/permits_used

-- at most once: requests, number, until_ms
local semaphore, timeouts, leases = KEYS[1], KEYS[2], KEYS[4]
-- All permits that are taken, expired or not: expired ones have only not been returned yet.
local taken = redis.call('ZCARD', timeouts)
local left, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
-- It fails where the record of leases holds something else.
local known_ms = leases_idle(leases)
local is_stated = statements_known(KEYS[6])
local is_deleted = redis.call('GET', KEYS[5])
needs_memory(requests)
request_keep_record(requests, ARGV[2])
if not left and not is_deleted and ARGV[3] == 'by' and ARGV[7] ~= '' then
  return request_record(requests, number, 'none')
end
local is_made, missing = not left, 0
if left then
  missing = leases_missing(leases, left, taken)
  left = left + missing
end
if is_made then
  local refusal = permits_twin_refusal(timeouts, unpack(KEYS, 7))
  if refusal then
    return refusal
  end
  left, taken = 0, 0
end
local total = left + taken
local delta = ARGV[3] == 'to' and ARGV[4] - total or tonumber(ARGV[4])
-- While the total is in range, so is the number of permits left, whatever is released.
if total + delta > INT32_MAX or left + delta < INT32_MIN then
  return request_record(requests, number, '0')
end
if is_made then
  -- What is left are permits of an earlier semaphore.
  redis.call('UNLINK', timeouts, leases, KEYS[5])
end
permits_revive(KEYS[5], not is_made, is_deleted)
-- Expired permits are available, whether they have been returned to the count or not.
local now = now_ms()
local expired = redis.call('ZCOUNT', timeouts, '-inf', now)
-- First what may be refused, and changes no permit.
if is_stated and ARGV[3] == 'to' then
  -- From now on the statements of others are older.
  local known = statements_read(KEYS[6], now)
  local since = statement_since(known, ARGV[4], now)
  redis.call('HSET', KEYS[6], ARGV[4], string.format('%.0f %.0f', since, now))
end
local declared_ms = tonumber(ARGV[7]) or 0
local stated_ms = (is_made or ARGV[3] == 'to') and declared_ms > 0 and declared_ms or nil
local idle_ms = permits_idle(semaphore, leases, stated_ms, not is_made, known_ms)
leases_set_total(leases, total + delta, redis.call('PTTL', semaphore))
-- A change by 0 is written too: it makes a semaphore that did not exist.
redis.call('INCRBY', semaphore, string.format('%.0f', delta + missing))
if idle_ms then
  permits_used(semaphore, timeouts, leases, idle_ms, now)
end
local answer = request_record(requests, number, '1')
if is_made then
  return notify_made(answer, left + delta, ARGV[5], ARGV[6])
elseif delta + missing > 0 then
  return notify_available(answer, left + delta + expired, ARGV[5], ARGV[6])
end
return answer
