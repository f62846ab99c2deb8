-- expirable-semaphore/configure: make a semaphore with the number of permits that an object declares, or set
-- it, and say how many are left and how many are taken; at most once per request.
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
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] setting    string   what the object declares: see lib/permits_setting
-- ARGV[6] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     permits left, permits taken, and 1 when the semaphore is there, else 0; where a newer
--                    statement stands the ms until that would give way; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/now_ms
-- include lib/stored_count
-- include lib/permits_setting
-- include lib/statements_known
-- include lib/permits_statement
-- include lib/leases_set_total
-- include lib/leases_missing
-- include lib/notify_available
-- include lib/notify_made
-- include lib/permits_revive
-- include lib/permits_twin_refusal
-- include lib/leases_idle
-- include lib/setting_idle
-- include lib/permits_idle
-- include lib/permits_used

-- at most once: requests, number, until_ms
local semaphore, timeouts, leases = KEYS[1], KEYS[2], KEYS[4]
local taken = redis.call('ZCARD', timeouts)
local left, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
-- It fails where the record of leases holds something else.
local known_ms = leases_idle(leases)
statements_known(KEYS[6])
local is_deleted = redis.call('GET', KEYS[5])
local missing = 0
if left then
  missing = leases_missing(leases, left, taken)
  left = left + missing
end
local total = left and left + taken
local change, _, is_refused = permits_setting(ARGV[5], left, total, is_deleted)
if not left and not change then
  -- It was deleted: nothing is done, and nothing has to be recorded.
  return '0 0 0'
end
local refusal = not left and permits_twin_refusal(timeouts, unpack(KEYS, 7))
if refusal then
  return refusal
end
-- Expired permits count as left, though they have not been returned to the pool yet.
local now = now_ms()
local expired = left and redis.call('ZCOUNT', timeouts, '-inf', now) or 0
needs_memory(requests)
request_keep_record(requests, ARGV[2])
permits_revive(KEYS[5], left, is_deleted)
if not left then
  -- What is left are permits of an earlier semaphore.
  redis.call('UNLINK', timeouts, leases, KEYS[5])
end
-- First what may be refused, and changes no permit.
local yields_ms = -1
if string.find(ARGV[5], '^set') then
  local number_set, left_ms = permits_statement(KEYS[6], ARGV[5], total or nil, now)
  change, yields_ms = number_set and number_set - (total or 0), left_ms
end
local stated_ms = not is_refused and setting_idle(ARGV[5]) or nil
local idle_ms = permits_idle(semaphore, leases, stated_ms, left, known_ms)
leases_set_total(leases, (total or 0) + (change or 0), redis.call('PTTL', semaphore))
if change or missing > 0 then
  redis.call('INCRBY', semaphore, string.format('%.0f', (change or 0) + missing))
end
if idle_ms then
  permits_used(semaphore, timeouts, leases, idle_ms, now)
end
local available = (left or 0) + (change or 0) + expired
local held = left and taken - expired or 0
local view = string.format('%.0f %.0f 1', available, held)
if yields_ms >= 0 then
  view = view .. string.format(' %.0f', yields_ms)
end
local answer = request_record(requests, number, view)
if not left then
  return notify_made(answer, available, ARGV[3], ARGV[4])
elseif change and change > 0 or missing > 0 then
  return notify_available(answer, available, ARGV[3], ARGV[4])
end
return answer
