-- lock/acquire-fenced: take a lock with a fencing token, or say how long its lease still runs.
--
-- The token of a grant is the larger of counter + 1 and the server's time in microseconds: it grows
-- even after the counter was lost (FLUSHALL, an empty restart).
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] cancelled  string   private: present while this holder id is burnt
-- KEYS[3] token      string   last token issued; no TTL: tokens must outlive every lease
-- ARGV[1] holder     string   who asks
-- ARGV[2] count      integer  1 needs the lock free or mine, more needs it mine
-- ARGV[3] lease_ms   integer  lease to have at least, from now
-- returns string     "+" and the token when taken, else the integer that lock/acquire answers

-- include lib/lock_admit
-- include lib/lock_write_hold
local lock, token, holder, count = KEYS[1], KEYS[3], ARGV[1], tonumber(ARGV[2])

local refusal, held = lock_admit(lock, KEYS[2], holder, count)
if type(refusal) == 'table' then
  return refusal
end
if refusal then
  return tostring(refusal)
end
-- A hold that is already mine keeps its token; nobody else can have been granted one since.
if held == 0 or redis.call('EXISTS', token) == 0 then
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  -- First the counter: if it is no number this fails, and nothing has been taken.
  if redis.call('INCR', token) < micros then
    redis.call('SET', token, string.format('%.0f', micros))
  end
end
-- Read back as text: a Lua number is exact only to 2^53, and Java may have issued larger tokens.
-- And before the lock is taken: whoever may not read it takes nothing.
local issued = redis.call('GET', token)
local refused = lock_write_hold(lock, holder, held, count, tonumber(ARGV[3]))
if refused then
  return refused
end
return '+' .. issued
