-- lock/acquire-fenced: take a lock with a fencing token, or say how long its lease still runs.
--
-- The token of a grant is the larger of counter + 1 and the server's time in microseconds: it grows
-- even after the counter was lost (FLUSHALL, an empty restart).
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone  string   private: exists while this holder id has a tombstone
-- KEYS[3] token      string   last token issued; no TTL: tokens must outlive every lease
-- ARGV[1] holder     string   the holder id that asks
-- ARGV[2] count      integer  1 if the lock may be free, more if the holder must hold it already
-- ARGV[3] lease_ms   integer  the least lease to have from now on
-- returns string     "+" and the token when granted, else the integer that lock/acquire answers

-- include lib/lock_admit
-- include lib/lock_write_hold
-- include lib/needs_no_memory
-- include lib/token_issue
local lock, token, holder, count = KEYS[1], KEYS[3], ARGV[1], tonumber(ARGV[2])

local refusal, held = lock_admit(lock, KEYS[2], holder, count)
if type(refusal) == 'table' then
  return refusal
end
if refusal then
  return tostring(refusal)
end
-- A re-entry issues none: its client reports the token of the outer hold. A copy of an acquisition gets a new token:
-- its answer may be lost, and a failover may have lost later grants. The token is issued first, so a user without that
-- right gets no hold.
local issued = count > 1 and redis.call('GET', token)
if not issued then
  if held > 0 then
    needs_no_memory(lock)
  end
  issued = token_issue(token, 1)
end
if type(issued) == 'table' then
  return issued
end
local refused = lock_write_hold(lock, holder, held, count, tonumber(ARGV[3]))
if refused then
  return refused
end
return '+' .. issued
