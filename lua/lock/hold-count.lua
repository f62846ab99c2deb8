-- lock/hold-count: how many holds one holder has of a lock.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- ARGV[1] holder     string   the holder id whose holds are counted
-- returns integer    the holder's holds, 0 when it has none

-- include lib/lock_foreign
return lock_foreign(KEYS[1]) or tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
