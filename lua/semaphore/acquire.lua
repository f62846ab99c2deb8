-- semaphore/acquire: take permits for the waiters of one client, in order, as many as fit.
--
-- It also makes the semaphore where a setting says so. Only a grant, and the answer to a call with a
-- setting, is recorded: any other request may be repeated.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- KEYS[2] requests   zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] queue      zset     private: wait queue, client -> rank; lives 10 minutes
-- KEYS[4] heartbeats zset     private: client -> its last heartbeat; lives 10 minutes
-- KEYS[5] marks      string   private: mark of this semaphore alone; has its TTL, or 30 days
-- KEYS[*] totals     zset     private: its total; has the TTL of the mark. Where the client was told
--                             a number of permits
-- ARGV[1] number     integer  number of the request
-- ARGV[2] low_water  integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish    string   PUBLISH or SPUBLISH
-- ARGV[4] channel    string   where waiters of the semaphore listen
-- ARGV[5] client     string   the client that asks
-- ARGV[6] must_queue integer  1 the client has an entry in the queue, or gets one; 0 it has none
-- ARGV[7] setting    string   what the client was told of the number of permits; empty: nothing new
-- ARGV[*] needs      integer  for each waiter how many permits it needs
-- returns string     waiters served, permits taken for them, ms after which to ask again (-1:
--                    unknown), and the mark of the semaphore ("-": there is none), with a note about
--                    the setting; or why the request did not run

-- include lib/request_keep_record
-- include lib/needs_memory
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
local semaphore, client, setting = KEYS[1], ARGV[5], ARGV[7]
local totals = unpack(KEYS, 6)
local stored, wrong = stored_count(semaphore)
if wrong then
  return wrong
end
local mark = semaphore_generation(KEYS[5])
local total = setting ~= '' and stored and semaphore_total(totals, mark, stored)
local made, note = permits_setting(setting, stored, total)
local available = (stored or 0) + (made or 0)
needs_memory(requests)
local served, taken, retry_ms, has_left =
  serve_waiters(KEYS[3], KEYS[4], client, ARGV[6] == '1', available, { unpack(ARGV, 8) })
available = available - taken
local is_recorded = served > 0 or setting ~= ''
if is_recorded then
  request_keep_record(requests, ARGV[2])
end
if made then
  mark = semaphore_new_generation(KEYS[5], totals, 0, made, available)
end
if made or taken > 0 then
  -- One command does it, so that it is done or refused as a whole.
  redis.call('DECRBY', semaphore, string.format('%.0f', taken - (made or 0)))
end
if totals and not made and taken > 0 then
  semaphore_move_total(totals, -taken, 0)
end
local mark_now = (stored or made) and mark or '-'
local answer = string.format('%.0f %.0f %.0f %s', served, taken, retry_ms, mark_now) .. note
if is_recorded then
  request_record(requests, number, answer)
end
if has_left or made then
  -- The other clients waited for this one, or for a number of permits.
  return notify_available(answer, available, ARGV[3], ARGV[4])
end
return answer
