-- semaphore/give-back: undo what a request took, and make sure that it never runs (again).
--
-- A release that was given up is done here instead: if it never ran, its permits are released, and
-- a later copy of it finds itself cancelled. Permits of a semaphore that was made anew since are
-- gone with it.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] queue      zset     private: wait queue, client -> rank; lives 10 minutes
-- KEYS[4] heartbeats zset     private: client -> its last heartbeat; lives 10 minutes
-- KEYS[5] record     hash     private: what is known of this semaphore, and its grants; has its TTL, or 30
--                             days since its last use
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   the client that made the request
-- ARGV[6] leaves     integer  1 the client leaves the wait queue, 0 it stays as it is
-- ARGV[7] may_run    integer  1 a copy of the request may run later, 0 none can: nothing is recorded then
-- ARGV[8] permits    integer  how many permits to release if the request, a release, never ran; 0 if it was no
--                             release, or if only the record of the grant proves that
-- ARGV[9] mark       string   mark of the grant whose permits they are; empty: none
-- ARGV[10] place     integer  the place of that grant in its request
-- ARGV[*] needs      integer  for each waiter of the request how many permits it needs
-- returns integer    how many permits were given back; -1 for none of a grant of which nothing is known, which may have
--                    been given back before

-- at maxmemory: carried out
-- include lib/grant_is_unknown
-- include lib/request_keep_record
-- include lib/request_recall
-- include lib/request_record
-- include lib/semaphore_change
-- include lib/semaphore_idle
-- include lib/semaphore_keep
-- include lib/semaphore_record
-- include lib/semaphore_take_out
-- include lib/notify_available
local semaphore, requests, number, client = KEYS[1], KEYS[2], ARGV[1], ARGV[5]

local answer = request_recall(requests, number)
local permits, mark, place, counts = tonumber(ARGV[8]), ARGV[9], ARGV[10], { ARGV[8] }
if answer then
  local served, taken, found = string.match(answer, '^(%d+) (%d+) .* ([%d:]+)')
  permits, mark, place, counts = tonumber(taken or 0), found or '', 1, {}
  for i = 1, tonumber(served or 0) do
    counts[i] = ARGV[10 + i] or 0
  end
end
local id = string.match(mark, '^(%d+):')
local record, is_deleted = semaphore_record(KEYS[5])
-- pcall: whatever the key holds by now, the request is over.
local value = redis.pcall('GET', semaphore)
if type(value) == 'table' and not string.find(value.err, 'WRONGTYPE', 1, true) then
  return value
end
local available = type(value) == 'string' and string.find(value, '^%-?%d+$') and tonumber(value)
-- An acquisition that has not run, and cannot run later, needs no record.
local is_recorded = answer or ARGV[7] == '1'
if is_recorded then
  request_keep_record(requests, ARGV[2])
end
local has_left = false
if ARGV[6] == '1' then
  has_left = redis.call('ZREM', KEYS[3], client) == 1
  redis.call('ZREM', KEYS[4], client)
end
-- Changes nothing: a user without the right is refused here. The record of the request stays until its permits
-- are back.
redis.call('ZREMRANGEBYSCORE', requests, 1, 0)
-- A semaphore that does not exist gets none, since they would make one that nobody has set, and
-- neither does one that was made since. Otherwise it gets as many as leave the count within 32
-- bits.
local is_there = available and (not record or id == record.id)
local is_unproven = answer == 'unproven'
  or not answer
    and is_there
    and mark ~= ''
    and grant_is_unknown(KEYS[5], record, is_deleted, client, mark, place)
if not is_there then
  permits = 0
elseif record and mark ~= '' then
  permits = semaphore_take_out(KEYS[5], record, client, mark, place, counts)
end
is_unproven = is_unproven and permits == 0
local given = permits > 0 and math.max(math.min(permits, INT32_MAX - available), 0) or 0
if given > 0 and record then
  -- Changes nothing: a user without the right is refused here.
  redis.call('HDEL', KEYS[5], '')
  semaphore_idle(record, available + given)
  semaphore_keep(KEYS[5], record)
end
local refused = given > 0 and semaphore_change(semaphore, given, KEYS[5], record)
if refused then
  return refused
end
redis.call('ZREMRANGEBYSCORE', requests, number, number)
if is_recorded then
  request_record(requests, number, is_unproven and 'unproven' or 'cancelled')
end
if given > 0 or has_left then
  return notify_available(given, (available or 0) + given, ARGV[3], ARGV[4])
end
return is_unproven and -1 or given
