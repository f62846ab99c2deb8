-- expirable-semaphore/release: return permits that the client holds to the pool.
--
-- It states an outcome and counts nothing: a second copy finds the permits gone.
--
-- KEYS[1] semaphore  string   permits left; no TTL unless the caller gave one
-- KEYS[2] timeouts   zset     permit (16 bytes) -> ms at which it expires; has the semaphore's TTL
-- KEYS[3] leases     zset     private: permit -> when we wrote its lease; has the semaphore's TTL, or 30 days
-- ARGV[1] publish    string   PUBLISH or SPUBLISH
-- ARGV[2] channel    string   where waiters of the semaphore listen
-- ARGV[3] claim      bytes    the id of the first permit, and their number
-- ARGV[*] idle       integer  the idleMs of which the client was told; nothing where it was told none
-- returns integer    how many were held until now; the others had expired or are not there

-- at maxmemory: carried out
-- include lib/permits_return
-- include lib/notify_available
local held, available =
  permits_return(KEYS[1], KEYS[2], KEYS[3], { ARGV[3] }, false, unpack(ARGV, 4))
return notify_available(held, available or 0, ARGV[1], ARGV[2])
