-- expirable-semaphore/delete: remove a semaphore with all its permits, at most once per request.
--
-- A client that was told their number sets it again after a flush, and not after this.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[4] leases     zset     private: permit -> when we wrote its lease; has the semaphore's TTL, or 30 days
-- KEYS[5] deleted    string   private: the semaphore was deleted; lives 24 hours, or until it is made again
-- KEYS[*] twin       string   the name with which this one shares its permits, where there is one
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] until_ms   integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 there was one, 0 there was none; or why the request did not run

-- at maxmemory: carried out
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/notify_ended
-- include lib/permits_clients
-- include lib/permits_own_client
-- include lib/stored_count
-- include lib/permits_twin_refusal

-- at most once: requests, number, until_ms
local semaphore, timeouts, leases = KEYS[1], KEYS[2], KEYS[4]
-- These come first: they fail where a key holds something else.
redis.call('ZCARD', timeouts)
redis.call('ZCARD', leases)
redis.call('GET', KEYS[5])
local left, wrong = stored_count(semaphore)
local refusal = wrong or not left and permits_twin_refusal(timeouts, unpack(KEYS, 6))
if refusal then
  return refusal
end
request_keep_record(requests, ARGV[2])
-- The holders of more permits than these learn of it when they renew them.
local clients = permits_clients(redis.call('ZRANGE', timeouts, 0, 499))
-- A user who may not set the mark is refused here, and nothing is deleted.
redis.call('SET', KEYS[5], 1, 'XX', 'PX', DELETED_TTL_MS)
local removed = redis.call('UNLINK', semaphore, timeouts)
redis.call('UNLINK', leases)
if left then
  redis.call('SET', KEYS[5], 1, 'PX', DELETED_TTL_MS)
end
local answer = request_record(requests, number, removed > 0 and '1' or '0')
return notify_ended(answer, semaphore, clients, permits_own_client(requests))
