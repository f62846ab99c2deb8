-- lock/acquire: take hold number `count` of a lock, or say how long its lease still runs.
--
-- It states an outcome and counts nothing, so running it twice equals running it once.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] cancelled  string   private: present while this holder id is burnt
-- ARGV[1] holder     string   who asks
-- ARGV[2] count      integer  1 needs the lock free or mine, more needs it mine
-- ARGV[3] lease_ms   integer  lease to have at least, from now
-- returns integer?   null when taken, else ms left on the holder's lease (-1: it has none),
--                    -2 a re-entry whose lock nobody holds any more, -4 somebody else does,
--                    -3 the holder id is burnt

-- include lib/lock_admit
-- include lib/lock_write_hold
local lock, holder, count = KEYS[1], ARGV[1], tonumber(ARGV[2])

local refusal, held = lock_admit(lock, KEYS[2], holder, count)
if refusal then
  return refusal
end
return lock_write_hold(lock, holder, held, count, tonumber(ARGV[3]))
