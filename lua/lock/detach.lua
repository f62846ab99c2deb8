-- lock/detach: lengthen the lease of a hold that another client is to adopt, and burn its holder id.
--
-- No copy of its acquisition is granted any more when the lease has ended. It states an outcome and counts
-- nothing, so running it twice equals running it once.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] tombstone    string   private: the tombstone of this holder id; lives for tombstone_ms
-- ARGV[1] holder       string   the field of the holder
-- ARGV[2] lease_ms     integer  the least lease to have from now on
-- ARGV[3] tombstone_ms integer  life of the tombstone
-- returns string       as lock/renew: 1 held by the holder, 0 gone, 2 held by another, 3 the key holds
--                      something else

-- at maxmemory: carried out
-- include lib/lock_gone
-- include lib/needs_no_memory
local lock = KEYS[1]
local held = redis.pcall('HEXISTS', lock, ARGV[1])
if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
  return held
elseif held ~= 1 then
  return lock_gone(lock, held)
end
needs_no_memory(lock)
redis.call('SET', KEYS[2], '1', 'PX', ARGV[3])
redis.call('PEXPIRE', lock, math.max(redis.call('PTTL', lock), tonumber(ARGV[2])))
return '1'
