-- semaphore/release: return permits, at most once per request, and serve waiters with them.
--
-- Permits of a semaphore that does not exist any more, or was made anew since, are gone with it.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] queue      zset     private: wait queue, client -> rank; lives 10 minutes
-- KEYS[4] heartbeats zset     private: client -> its last heartbeat; lives 10 minutes
-- KEYS[5] marks      string   private: mark of this semaphore alone; has its TTL, or 30 days
-- KEYS[*] totals     zset     private: its total; has the TTL of the mark. Where the client was told
--                             a number of permits, or the release may make a
--                             semaphore
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   the client that releases
-- ARGV[6] must_queue integer  1 the client has an entry in the queue, or gets one; 0 it has none
-- ARGV[7] permits    integer  how many permits to release
-- ARGV[8] mark       string   mark of the semaphore from which the permits were acquired; empty:
--                             the permits go to the semaphore that is there, and make one if there
--                             is none
-- ARGV[9] setting    string   what the client was told of the number of permits; empty: nothing new,
--                             as always with a mark
-- ARGV[*] needs      integer  for each waiter how many permits it needs; no waiters: it only
--                             releases
-- returns string     waiters served, permits taken for them, ms after which to ask again (-1:
--                    unknown), permits left, and the mark of the semaphore; "full" and the permits
--                    there are, when the sum does not fit into 32 bits; both with a note about the
--                    setting; or why the request did not run

-- include lib/request_keep_record
-- include lib/request_record
-- include lib/stored_count
-- include lib/permits_setting
-- include lib/semaphore_generation
-- include lib/semaphore_new_generation
-- include lib/semaphore_total
-- include lib/semaphore_move_total
-- include lib/notify_available
-- include lib/serve_waiters

-- at most once: requests, number
local semaphore, client, setting = KEYS[1], ARGV[5], ARGV[9]
local totals = unpack(KEYS, 6)
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local mark, is_theirs = semaphore_generation(KEYS[5], ARGV[8])
local total = setting ~= '' and stored and semaphore_total(totals, mark, stored)
local made, note = permits_setting(setting, stored, total)
local available = (stored or 0) + (made or 0)
local belongs = ARGV[8] == '' or stored and is_theirs
request_keep_record(requests, ARGV[2])
if belongs then
  if available + ARGV[7] > INT32_MAX then
    local refused = string.format('full %.0f', available) .. (made and '!' or note)
    return request_record(requests, number, refused)
  end
  available = available + ARGV[7]
end
local served, taken, retry_ms = 0, 0, -1
if #ARGV > 9 then
  served, taken, retry_ms =
    serve_waiters(KEYS[3], KEYS[4], client, ARGV[6] == '1', available, { unpack(ARGV, 10) })
  available = available - taken
end
local change = available - (stored or 0)
if belongs and not stored then
  mark = semaphore_new_generation(KEYS[5], totals, 0, made or ARGV[7], available)
end
if belongs or change ~= 0 then
  -- One command does it, so that it is done or refused as a whole. INCRBY leaves the TTL as it is.
  redis.call('INCRBY', semaphore, string.format('%.0f', change))
end
if totals and stored and change ~= 0 then
  semaphore_move_total(totals, change, 0)
end
local answer = string.format('%.0f %.0f %.0f %.0f %s', served, taken, retry_ms, available, mark)
  .. note
request_record(requests, number, answer)
return notify_available(answer, available, ARGV[3], ARGV[4])
