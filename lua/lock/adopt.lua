-- lock/adopt: give a hold that was detached to another holder id, and burn the one that had it.
--
-- From then on nothing that is sent under the old holder id finds a hold. The token of a fenced lock is not
-- touched. A copy is answered as the first one, while the adopter has the lock, and else changes nothing.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] burnt        string   private: the tombstone of the old holder id; lives for tombstone_ms
-- KEYS[3] tombstone    string   private: exists when this adoption was given up
-- KEYS[*] waiting      any      what exists while others wait for the lock
-- ARGV[1] from         string   the field of the old holder
-- ARGV[2] to           string   the field of the adopter
-- ARGV[3] lease_ms     integer  the least lease to have from now on
-- ARGV[4] tombstone_ms integer  life of the tombstone
-- returns string       ms left on the lease, and 1 if others wait, else 0; "-" there is no such hold

-- at maxmemory: carried out
local lock, from, to, lease_ms = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])
local has_adopted = redis.call('HEXISTS', lock, to) == 1
if
  not has_adopted
  and (redis.call('HEXISTS', lock, from) == 0 or redis.call('EXISTS', KEYS[3]) == 1)
then
  return '-'
end
-- It changes nothing: a user who may not take the old holder out changes nothing, and at maxmemory the
-- first write has to be one that needs no memory.
redis.call('HDEL', lock, '')
local left_ms = redis.call('PTTL', lock)
if left_ms < lease_ms then
  redis.call('PEXPIRE', lock, lease_ms)
  left_ms = lease_ms
end
if not has_adopted then
  redis.call('SET', KEYS[2], '1', 'PX', ARGV[4])
  redis.call('HSET', lock, to, 1)
  redis.call('HDEL', lock, from)
end
local is_waited_for = redis.call('EXISTS', select(4, unpack(KEYS))) > 0
return string.format('%.0f %.0f', left_ms, is_waited_for and 1 or 0)
