-- semaphore/release: return permits, at most once per request, and serve waiters with them.
--
-- Permits of a semaphore that does not exist any more, or was made anew since, are gone with it.
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
-- ARGV[5] client     string   the client that releases
-- ARGV[6] must_queue integer  1 the client has an entry in the queue, or gets one; 0 it has none
-- ARGV[7] permits    integer  how many permits to release; 0: those that the record of their grant proves to be out
-- ARGV[8] mark       string   mark of the grant whose permits they are, with 0 for the id of a semaphore of
--                             which nothing was known; empty: the permits go to the semaphore that is there, and make
--                             one if there is none
-- ARGV[9] place      integer  the place of that grant in its request
-- ARGV[10] declared  string   empty: the object declares no number, or there is a mark; else its idleMs, 0: none
-- ARGV[11] until_ms  integer  when it may be run no more, by the clock of the server; 0: at any time
-- ARGV[*] needs      integer  for each waiter how many permits it needs; no waiters: it only releases
-- returns string     waiters served, permits taken for them, ms after which to ask again (-1: unknown),
--                    permits left, the permits that were found above a stated total (0: none were; -1: nothing is known
--                    of the grant, and nothing proves that it is out), the
--                    total (-1: unknown), and the mark of the new grants, as acquire has it; "full" and the
--                    permits there are, when the sum does not fit into 32 bits; "none" where there is no semaphore
--                    for an object that declares a number, and none was deleted: nothing was done; or why the
--                    request did not run

-- at maxmemory: carried out
-- include lib/grant_is_unknown
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_change
-- include lib/semaphore_idle
-- include lib/semaphore_keep
-- include lib/semaphore_new_record
-- include lib/semaphore_put_in
-- include lib/permits_revive
-- include lib/semaphore_record
-- include lib/semaphore_settle
-- include lib/semaphore_take_out
-- include lib/notify_available
-- include lib/notify_made
-- include lib/serve_waiters

-- at most once: requests, number, until_ms
local semaphore, client, declared, needs = KEYS[1], ARGV[5], ARGV[10], { unpack(ARGV, 12) }
local permits, is_proven = tonumber(ARGV[7]), ARGV[8] ~= ''
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local record, is_deleted = semaphore_record(KEYS[5])
if not stored and not is_deleted and declared ~= '' then
  request_keep_record(requests, ARGV[2])
  return request_record(requests, number, 'none')
end
local id = string.match(ARGV[8], '^(%d+):')
local available, idle_ms = stored or 0, tonumber(declared) or 0
-- Permits of a semaphore that is gone are gone with it. Without a record nothing is known.
local belongs = not is_proven or stored and (not record or id == record.id)
request_keep_record(requests, ARGV[2])
permits_revive(KEYS[5], stored, is_deleted)
if not belongs then
  permits = 0
elseif is_proven and record then
  permits = semaphore_take_out(KEYS[5], record, client, ARGV[8], ARGV[9], { ARGV[7] })
end
if belongs and available + permits > INT32_MAX then
  return request_record(requests, number, string.format('full %.0f', available))
end
available = available + permits
if belongs and not stored then
  record = semaphore_new_record(record, 0, permits, false, idle_ms > 0 and idle_ms or nil)
end
local above = 0
if record and (stored or belongs) then
  available, above = semaphore_settle(record, available)
end
if
  ARGV[7] == '0'
  and permits == 0
  and belongs
  and grant_is_unknown(KEYS[5], record, is_deleted, client, ARGV[8], ARGV[9])
then
  above = -1
end
local served, taken, retry_ms = 0, 0, -1
if #needs > 0 then
  served, taken, retry_ms =
    serve_waiters(KEYS[3], KEYS[4], client, ARGV[6] == '1', available, needs)
  available = available - taken
end
local mark, total = nil, -1
if record and (stored or belongs) then
  total = record.total
  mark = semaphore_put_in(record, client, number, needs, served)
  semaphore_idle(record, available)
  if #record.removed > 0 then
    -- Changes nothing: a user without the right is refused here.
    redis.call('HDEL', KEYS[5], '')
  end
  semaphore_keep(KEYS[5], record)
else
  mark = (stored or belongs) and string.format('0:%.0f', available + taken)
    or is_deleted and '--'
    or '-'
end
local change = available - (stored or 0)
local refused = (belongs or change ~= 0) and semaphore_change(semaphore, change, KEYS[5], record)
if refused then
  return refused
end
local answer = string.format(
  '%.0f %.0f %.0f %.0f %.0f %.0f %s',
  served,
  taken,
  retry_ms,
  available,
  above,
  total,
  mark
)
request_record(requests, number, answer)
if belongs and not stored then
  return notify_made(answer, available, ARGV[3], ARGV[4])
end
return notify_available(answer, available, ARGV[3], ARGV[4])
