-- expirable-semaphore/release-any: return a permit to the pool whoever holds it, at most once per request.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] leases     zset     private: permit -> when we wrote its lease; has the semaphore's TTL, or 30 days
-- KEYS[*] twin       string   the name with which this one shares its permits, where there is one
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] claim      bytes    the permit, and the number 1
-- ARGV[6] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- ARGV[*] idle       integer  the idleMs of which the client was told; nothing where it was told none
-- returns string     1 it was held until now, 0 it had expired or is not there; or why the request
--                    did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/permits_return
-- include lib/notify_ended
-- include lib/permits_clients
-- include lib/permits_own_client
-- include lib/permits_twin_refusal

-- at most once: requests, number, until_ms
local refusal = redis.call('EXISTS', KEYS[1]) == 0
  and permits_twin_refusal(KEYS[2], unpack(KEYS, 5))
if refusal then
  return refusal
end
request_keep_record(requests, ARGV[2])
local held, available =
  permits_return(KEYS[1], KEYS[2], KEYS[4], { ARGV[5] }, false, unpack(ARGV, 7))
if type(held) == 'table' then
  return held
end
local answer = request_record(requests, number, tostring(held))
local clients = held > 0 and permits_clients({ string.sub(ARGV[5], 1, 16) }) or {}
local payload = (available or 0) > 0 and string.format('%.0f', available)
local own = permits_own_client(requests)
return notify_ended(answer, KEYS[1], clients, own, ARGV[3], ARGV[4], payload)
