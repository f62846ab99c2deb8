-- lock/lease: how long a lock is still held.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- returns integer    ms left: -1 without limit, -2 when nobody holds it

-- include lib/lock_foreign
return lock_foreign(KEYS[1]) or redis.call('PTTL', KEYS[1])
