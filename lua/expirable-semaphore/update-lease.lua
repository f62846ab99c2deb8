-- expirable-semaphore/update-lease: set when a permit expires, whoever holds it, at most once per request.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] leases     zset     private: permit -> when we wrote its lease; has the semaphore's TTL, or 30 days
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] permit     bytes    the permit
-- ARGV[4] lease_ms   integer  life of the permit from now
-- ARGV[5] publish    string   PUBLISH or SPUBLISH
-- ARGV[6] channel    string   where waiters of the semaphore listen
-- ARGV[7] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was set, 0 the permit has expired or is not there; or why the request did
--                    not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/now_ms
-- include lib/stored_count
-- include lib/leases_write
-- include lib/leases_idle
-- include lib/permits_used
-- include lib/notify_ended
-- include lib/permits_clients
-- include lib/permits_own_client

-- at most once: requests, number, until_ms
local semaphore, timeouts, leases = KEYS[1], KEYS[2], KEYS[4]
-- This comes first: it fails when the key of the leases holds something else.
local idle_ms = leases_idle(leases)
local left, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
request_keep_record(requests, ARGV[2])
local now = now_ms()
local expiry = tonumber(redis.call('ZSCORE', timeouts, ARGV[3]) or 0)
if not left or expiry <= now then
  return request_record(requests, number, '0')
end
local life_ms = idle_ms and -1 or redis.call('PTTL', semaphore)
leases_write(timeouts, leases, ARGV[3], now, ARGV[4], life_ms)
if idle_ms then
  permits_used(semaphore, timeouts, leases, idle_ms, now)
elseif life_ms > 0 then
  redis.call('PEXPIRE', timeouts, life_ms)
end
local answer = request_record(requests, number, '1')
if now + ARGV[4] >= expiry then
  return answer
end
-- Waiters sleep until the expiry that they know of. A message, though nothing has become available,
-- makes them ask when it is now. Java takes a 0 for no permits.
local payload = string.format('%.0f', math.max(left, 0))
local clients, own = permits_clients({ ARGV[3] }), permits_own_client(requests)
return notify_ended(answer, semaphore, clients, own, ARGV[5], ARGV[6], payload)
