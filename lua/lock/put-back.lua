-- lock/put-back: undo an adoption that was given up: the old holder id has the hold again, for another adopter.
--
-- The holder id of the adopter is burnt: no late copy of the adoption is carried out.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: that this adoption was given up; lives for tombstone_ms
-- ARGV[1] from         string   the field of the old holder
-- ARGV[2] to           string   the field of the adopter
-- ARGV[3] tombstone_ms integer  life of the tombstone
-- returns integer      1 it was put back, 0 there was nothing to put back

-- at maxmemory: carried out
-- include lib/needs_no_memory
local lock = KEYS[1]
needs_no_memory(lock)
redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
if redis.call('HEXISTS', lock, ARGV[2]) == 0 then
  return 0
end
-- It changes nothing: a user who may not take the adopter out changes nothing.
redis.call('HDEL', lock, '')
redis.call('HSET', lock, ARGV[1], 1)
redis.call('HDEL', lock, ARGV[2])
return 1
