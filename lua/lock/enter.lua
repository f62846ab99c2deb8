-- lock/enter: take a lock, or a ticket in the line of those who wait for it.
--
-- A lock that is free goes to the first in the line; this holder may be the first. It can take the place
-- of another holder id of its client, whose waiter has left: in the line, or as the holder where that was
-- granted the lock. Running it twice changes nothing but the counter of tokens.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: exists while this holder id has a tombstone
-- KEYS[3] line         list     private: holder ids that wait, in order
-- KEYS[4] tickets      hash     private: holder id -> when it was last heard of, its window, flags
-- KEYS[*] token        string   of a fenced lock: last token issued
-- ARGV[1] holder       string   the holder id that asks
-- ARGV[2] lease_ms     integer  the lease that it takes at once
-- ARGV[3] window_ms    integer  the lease of a grant that it is told of later
-- ARGV[4] is_listening integer  1 if its client listens to the channel of the lock
-- ARGV[5] tokens       integer  how many fencing tokens a grant at once has
-- ARGV[6] publish      string   PUBLISH or SPUBLISH
-- ARGV[7] replaces     string   the holder id whose place it takes; '' for none
-- returns string     "+", whether others wait or have done so lately (0 or 1), and the last of its tokens
--                    or 0; "-3" the holder id has a tombstone; else the ms left on the lease of another
--                    (-1: no limit), the server's time, whether the client of the holder listens to its
--                    own channel, and whether this one does (2: it got no ticket, since the server takes
--                    no more data)

-- include lib/lock_enter
-- include lib/notify
local answer, channel, message = lock_enter(
  { KEYS[1], KEYS[2], KEYS[3], KEYS[4] },
  select(5, unpack(KEYS)),
  ARGV[1],
  {
    lease_ms = tonumber(ARGV[2]),
    window_ms = ARGV[3],
    is_listening = ARGV[4],
    tokens = tonumber(ARGV[5]),
    publish = ARGV[6],
    replaces = ARGV[7],
  }
)
if not message then
  return answer
end
return notify(answer, ARGV[6], channel, message)
