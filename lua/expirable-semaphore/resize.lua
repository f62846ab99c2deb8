-- expirable-semaphore/resize: grow or shrink the number of permits, at most once per request.
--
-- Permits in use are not revoked: after a shrink the number of permits left may be negative.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] leases     zset     private: permit -> when we wrote its lease; has the semaphore's TTL, or 30 days
-- KEYS[5] deleted    string   private: the semaphore was deleted; lives 24 hours, or until it is made again
-- KEYS[*] twin       string   the name with which this one shares its permits, where there is one
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] way        string   to: set the total; by: add to it
-- ARGV[4] permits    integer  the total, or the number to add
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   where waiters of the semaphore listen
-- ARGV[7] setting    string   what the client was told of the number of permits; empty: nothing new,
--                             as always with "to"
-- returns string     1 it was done, 0 the total would not fit into the 32 bits that Java can read;
--                    with a note about the setting; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/now_ms
-- include lib/stored_count
-- include lib/permits_setting
-- include lib/notify_available
-- include lib/notify_made
-- include lib/permits_revive
-- include lib/permits_twin_refusal

-- at most once: requests, number
local semaphore, timeouts, leases = KEYS[1], KEYS[2], KEYS[4]
-- All permits that are taken, expired or not: expired ones have only not been returned yet.
local taken = redis.call('ZCARD', timeouts)
local left, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
-- It fails where the record of leases holds something else.
redis.call('ZCARD', leases)
local is_deleted = redis.call('GET', KEYS[5])
local change, note, is_refused = permits_setting(ARGV[7], left, left and left + taken, is_deleted)
needs_memory(requests)
request_keep_record(requests, ARGV[2])
if is_refused then
  return request_record(requests, number, note)
end
local is_made = not left
if is_made then
  local refusal = permits_twin_refusal(timeouts, unpack(KEYS, 6))
  if refusal then
    return refusal
  end
  left, taken = 0, 0
end
local total = left + taken
local delta = ARGV[3] == 'to' and ARGV[4] - total or tonumber(ARGV[4]) + (change or 0)
-- While the total is in range, so is the number of permits left, whatever is released.
if total + delta > INT32_MAX or left + delta < INT32_MIN then
  return request_record(requests, number, change and '0!' or '0' .. note)
end
if is_made then
  -- What is left are permits of an earlier semaphore.
  redis.call('UNLINK', timeouts, leases, KEYS[5])
end
permits_revive(KEYS[5], not is_made, is_deleted)
-- Expired permits are available, whether they have been returned to the count or not.
local expired = redis.call('ZCOUNT', timeouts, '-inf', now_ms())
-- A change by 0 is written too: it makes a semaphore that did not exist.
redis.call('INCRBY', semaphore, string.format('%.0f', delta))
local answer = request_record(requests, number, '1' .. note)
if is_made then
  return notify_made(answer, left + delta, ARGV[5], ARGV[6])
elseif delta > 0 then
  return notify_available(answer, left + delta + expired, ARGV[5], ARGV[6])
end
return answer
