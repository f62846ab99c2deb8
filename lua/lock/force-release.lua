-- lock/force-release: free a lock whoever holds it, at most once per request.
--
-- The first in the line gets it then.
--
-- KEYS[1] lock         hash     holder -> number of holds; its TTL is the lease
-- KEYS[2] requests     zset     private: this client's requests on this object; lives 30 minutes
-- KEYS[3] line         list     private: holder ids that wait, in order
-- KEYS[4] tickets      hash     private: holder id -> when it was last heard of, its window, flags
-- KEYS[*] token        string   of a fenced lock: last token issued
-- ARGV[1] number       integer  number of the request
-- ARGV[2] low_water    integer  low-water mark: every request with a smaller number is settled
-- ARGV[3] publish      string   PUBLISH or SPUBLISH
-- ARGV[4] channel      string   where waiters of the lock listen
-- ARGV[5] tombstones   string   what the names of tombstones begin with
-- ARGV[6] tombstone_ms integer  life of a tombstone
-- ARGV[7] until_ms     integer  when it may be run no more, by the clock of the server; 0: at any time
-- returns string     1 it was held, 0 it was free; or why the request did not run

-- at maxmemory: carried out
-- include lib/line_first
-- include lib/line_grant
-- include lib/lock_foreign
-- include lib/now_ms
-- include lib/request_keep_record
-- include lib/request_record
-- include lib/notify_ended
-- include lib/clients_of_holders
-- include lib/tombstones_set

-- at most once: requests, number, until_ms
local lock, line, tickets, token = KEYS[1], KEYS[3], KEYS[4], select(5, unpack(KEYS))
local wrong = lock_foreign(lock)
if wrong then
  return wrong
end
request_keep_record(requests, ARGV[2])
local now = now_ms()
local first, window_ms = line_first(lock, line, tickets, now, ARGV[3])
local fields = tombstones_set(lock, ARGV[5], ARGV[6])
local clients = clients_of_holders(fields)
local own = string.sub(requests, -CLIENT_ID_LENGTH)
if not first then
  local answer = request_record(requests, number, tostring(redis.call('DEL', lock)))
  return notify_ended(answer, lock, clients, own, ARGV[3], ARGV[4], answer == '1' and '0')
end
-- Before the removal: a user who lacks a right changes nothing.
local channel, message = line_grant(lock, line, tickets, token, now, first, window_ms, ARGV[3])
if type(channel) == 'table' then
  return channel
end
for i = 1, #fields, 2 do
  redis.call('HDEL', lock, fields[i])
end
local answer = request_record(requests, number, #fields > 0 and '1' or '0')
if not message then
  return notify_ended(answer, lock, clients, own, ARGV[3], ARGV[4], answer == '1' and '0')
end
return notify_ended(answer, lock, clients, own, ARGV[3], channel, message)
