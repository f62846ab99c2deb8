-- lock/acquire: take hold number `count` of a lock, or say how long its lease still runs.
--
-- It states an outcome and counts nothing, so running it twice equals running it once.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone  string   private: exists while this holder id has a tombstone
-- ARGV[1] holder     string   the holder id that asks
-- ARGV[2] count      integer  1 if the lock may be free, more if the holder must hold it already
-- ARGV[3] lease_ms   integer  the least lease to have from now on
-- returns integer?   null when granted, else ms left on the lease of another holder (-1: it has
--                    none), -2 a re-entry into a lock that is free by now, -4 a re-entry into a
--                    lock held by another, -3 the holder id has a tombstone

-- include lib/lock_admit
-- include lib/lock_write_hold
local lock, holder, count = KEYS[1], ARGV[1], tonumber(ARGV[2])

local refusal, held = lock_admit(lock, KEYS[2], holder, count)
if refusal then
  return refusal
end
return lock_write_hold(lock, holder, held, count, tonumber(ARGV[3]))
