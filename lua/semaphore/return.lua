-- semaphore/return: give back the permits of one grant, and serve nobody with them.
--
-- It states an outcome and counts nothing: a second copy finds the grant gone.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] publish    string   PUBLISH or SPUBLISH
-- ARGV[2] channel    string   where waiters of the semaphore listen
-- ARGV[3] client     string   the client that was granted them
-- ARGV[4] permits    integer  how many they are
-- ARGV[5] mark       string   mark of the grant
-- ARGV[6] place      integer  the place of the grant in its request
-- returns string     permits left, and the permits that were found above a stated total (0: none were);
--                    empty where nothing is done, since the record alone does not tell what is right

-- at maxmemory: carried out
-- include lib/stored_count
-- include lib/semaphore_change
-- include lib/semaphore_idle
-- include lib/semaphore_keep
-- include lib/semaphore_record
-- include lib/semaphore_settle
-- include lib/semaphore_take_out
-- include lib/notify_available
local semaphore, mark = KEYS[1], ARGV[5]
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local record = semaphore_record(KEYS[2])
local born = string.match(mark, '^%d+:(%d+):')
-- Where permits come back without their grants, a grant that is not there may have been forgotten: the
-- release is counted then. A grant of an earlier semaphore is not in this record.
if not stored or not record or record.loose > 0 then
  return ''
end
if stored + ARGV[4] > INT32_MAX or tonumber(born) <= record.forgotten then
  return ''
end
local permits = semaphore_take_out(KEYS[2], record, ARGV[3], mark, ARGV[6], { ARGV[4] })
if permits == 0 then
  return string.format('%.0f 0', stored)
end
local available, above = semaphore_settle(record, stored + permits)
semaphore_idle(record, available)
-- Changes nothing: a user without the right is refused here. It needs no memory, either.
redis.call('HDEL', KEYS[2], '')
semaphore_keep(KEYS[2], record)
local refused = semaphore_change(semaphore, available - stored, KEYS[2], record)
if refused then
  return refused
end
local answer = string.format('%.0f %.0f', available, above)
return notify_available(answer, available, ARGV[1], ARGV[2])
