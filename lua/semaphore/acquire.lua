-- semaphore/acquire: take permits for the waiters of one client, in order, as many as fit.
--
-- Only a grant is recorded: any other request may be repeated.
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
-- ARGV[5] client     string   the client that asks
-- ARGV[6] must_queue integer  1 the client has an entry in the queue, or gets one; 0 it has none
-- ARGV[*] needs      integer  for each waiter how many permits it needs
-- returns string     waiters served, permits taken for them, ms after which to ask again (-1: unknown), the
--                    permits that were found above a stated total (0: none were), the total (-1: unknown),
--                    and the mark of the grants ("-": there is no semaphore; "--": it was deleted; "0:" and
--                    what was left: nothing else is known of it); or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
-- include lib/request_record
-- include lib/stored_count
-- include lib/semaphore_change
-- include lib/semaphore_idle
-- include lib/semaphore_keep
-- include lib/semaphore_put_in
-- include lib/permits_revive
-- include lib/semaphore_record
-- include lib/semaphore_settle
-- include lib/semaphore_used
-- include lib/notify_available
-- include lib/serve_waiters

-- at most once: requests, number
local semaphore, client, needs = KEYS[1], ARGV[5], { unpack(ARGV, 7) }
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local record, is_deleted = semaphore_record(KEYS[5])
local available, above = stored or 0, 0
if stored and record then
  available, above = semaphore_settle(record, available)
end
needs_memory(requests)
permits_revive(KEYS[5], stored, is_deleted)
local served, taken, retry_ms, has_left =
  serve_waiters(KEYS[3], KEYS[4], client, ARGV[6] == '1', available, needs)
available = available - taken
if served > 0 then
  request_keep_record(requests, ARGV[2])
end
if stored then
  semaphore_idle(record, available)
end
local mark, total = nil, -1
if stored and record then
  total = record.total
end
if stored and record and (taken > 0 or record.has_changed) then
  mark = semaphore_put_in(record, client, number, needs, served)
  semaphore_keep(KEYS[5], record)
elseif stored then
  -- Where nothing is known of the semaphore, what was left shows whether it is the one that was stated.
  mark = string.format('0:%.0f', available + taken)
else
  mark = is_deleted and '--' or '-'
end
local change = available - (stored or 0)
local refused = change ~= 0 and semaphore_change(semaphore, change, KEYS[5], record)
if refused then
  return refused
end
if stored and change == 0 then
  semaphore_used(semaphore, KEYS[5], record)
end
local answer =
  string.format('%.0f %.0f %.0f %.0f %.0f %s', served, taken, retry_ms, above, total, mark)
if served > 0 then
  request_record(requests, number, answer)
end
if has_left then
  -- The other clients waited for this one.
  return notify_available(answer, available, ARGV[3], ARGV[4])
end
return answer
