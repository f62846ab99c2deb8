-- expirable-semaphore/delete: remove a semaphore with all its permits, at most once per request.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[*] twin       string   the name with which this one shares its permits, where there is one
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- returns string     1 there was one, 0 there was none; or why the request did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/notify_ended
-- include lib/permits_clients
-- include lib/permits_own_client
-- include lib/stored_count
-- include lib/permits_twin_refusal

-- at most once: requests, number
local semaphore, timeouts = KEYS[1], KEYS[2]
-- This comes first: it fails when the key of the permits holds something else.
redis.call('ZCARD', timeouts)
local left, wrong = stored_count(semaphore)
local refusal = wrong or not left and permits_twin_refusal(timeouts, unpack(KEYS, 4))
if refusal then
  return refusal
end
request_keep_record(requests, ARGV[2])
-- The holders of more permits than these learn of it when they renew them.
local clients = permits_clients(redis.call('ZRANGE', timeouts, 0, 499))
local removed = redis.call('UNLINK', semaphore, timeouts)
local answer = request_record(requests, number, removed > 0 and '1' or '0')
return notify_ended(answer, semaphore, clients, permits_own_client(requests))
