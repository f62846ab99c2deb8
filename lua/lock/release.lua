-- lock/release: state how many of a holder's holds are still alive, and free the lock at none.
--
-- A lock that is free then goes to the first in the line, unless it is time to free it openly. With
-- `tombstone_ms` it also sets a tombstone for the holder id: no later copy of its acquisition is
-- granted.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- KEYS[3] line         list     private: holder ids that wait, in order
-- KEYS[4] tickets      hash     private: holder id -> when it was last heard of, its window, flags
-- KEYS[*] token        string   of a fenced lock: last token issued
-- ARGV[1] holder       string   the holder id that releases
-- ARGV[2] count        integer  its holds that are still alive, re-entries under way included
-- ARGV[3] tombstone_ms integer  life of the tombstone; 0 sets none
-- ARGV[4] publish      string   PUBLISH or SPUBLISH
-- ARGV[5] channel      string   where waiters of the lock listen
-- ARGV[6] listens      integer  how many connections of its client listen to that channel; -1 if the
--                               client does not stand back for those who stand in no line
-- returns integer    1 the lock is free; 0 other holds keep it; -5 it was given to another; -6 it is free,
--                    and those in the line stand back for STAND_BACK_MS; when the holder did not hold
--                    it: -1 it is held by another, -2 it is free

-- at maxmemory: carried out
-- include lib/lock_release
-- include lib/notify
local result, to, message = lock_release(
  { KEYS[1], KEYS[2], KEYS[3], KEYS[4] },
  select(5, unpack(KEYS)),
  ARGV[1],
  tonumber(ARGV[2]),
  tonumber(ARGV[3]),
  ARGV[4],
  ARGV[5],
  ARGV[6]
)
if not message then
  return result
end
return notify(result, ARGV[4], to, message)
