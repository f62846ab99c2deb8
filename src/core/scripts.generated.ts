// Generated from lua/ by `node scripts/generate-scripts.mjs`: change the Lua, not this file.
import { integer, integerOrNull, text } from './decode.js';
import type { Script } from './script.js';

/** take hold number `count` of a fair lock, or a place in its queue. */
export const fairLockAcquire: Script<
  { lock: string; cancelled: string; queue: string; timeouts: string; beats: string },
  { holder: string; count: number; leaseMs: number; place: string; publish: string; channel: string },
  number | null
> = {
  name: 'fair-lock/acquire',
  sha1: '566d7a55afdc225b89bef37dd3258fd396fab386',
  source: `-- fair-lock/acquire
local function admit(lock, cancelled, holder, count)
  local held = redis.call('HGET', lock, holder)
  if held then
    return nil, tonumber(held)
  end
  if redis.call('EXISTS', lock) == 1 then
    if redis.call('HEXISTS', lock, 'mode') == 1 then
      return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
    end
    if count > 1 then
      return -4
    end
    return redis.call('PTTL', lock)
  end
  if count > 1 then
    return -2
  end
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  return nil, 0
end
local function settle_queue(queue, timeouts, beats)
  local last = redis.call('LINDEX', queue, -1)
  if not last then
    redis.call('DEL', beats)
  elseif not redis.call('ZSCORE', beats, string.sub(last, 1, 36)) then
    redis.call('PERSIST', queue)
    redis.call('PERSIST', timeouts)
  end
end
local function leave_queue(queue, timeouts, beats, holder)
  redis.call('LREM', queue, 1, holder)
  redis.call('ZREM', timeouts, holder)
  settle_queue(queue, timeouts, beats)
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function queue_head(queue, timeouts, beats, now)
  local head, left
  for dropped = 0, 100 do
    head = redis.call('LINDEX', queue, 0)
    local heard = head and redis.call('ZSCORE', beats, string.sub(head, 1, 36))
    local ends = heard and heard + 4000 or head and redis.call('ZSCORE', timeouts, head) or 0
    left = math.max(ends - now, 0)
    if not head or left > 0 or dropped == 100 then
      if dropped > 0 then
        settle_queue(queue, timeouts, beats)
      end
      return head or nil, left
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', timeouts, head)
  end
end
local function score_queue(queue, timeouts, beats, holder, now)
  local client = string.sub(holder, 1, 36)
  local scores, enough, floor, found, ours = {}, now + 5000, 0, false, { [client] = true }
  for _, member in ipairs(redis.call('LRANGE', queue, 0, 99)) do
    local whose = string.sub(member, 1, 36)
    if ours[whose] == nil then
      ours[whose] = redis.call('ZSCORE', beats, whose) ~= false
    end
    if not ours[whose] then
      local score = tonumber(redis.call('ZSCORE', timeouts, member) or 0)
      if score > enough + 400000 then
        floor = math.max(floor, score)
      end
      enough = enough + 300000
    elseif whose == client then
      scores[#scores + 1] = math.max(enough, floor)
      scores[#scores + 1] = member
    end
    found = found or member == holder
  end
  if #scores > 0 then
    redis.call('ZADD', timeouts, unpack(scores))
  end
  return math.max(enough, floor), found
end
local function stand_in_queue(queue, timeouts, beats, holder, to_front, now)
  local client = string.sub(holder, 1, 36)
  local heard = redis.call('ZSCORE', beats, client)
  local is_due = not heard or now - heard >= 500
  local stands = redis.call('ZSCORE', timeouts, holder) ~= false
  if stands and not is_due then
    return
  end
  local length = redis.call('LLEN', queue)
  local behind
  if is_due then
    redis.call('ZADD', beats, now, client)
    local found
    behind, found = score_queue(queue, timeouts, beats, holder, now)
    if length <= 100 or length ~= redis.call('ZCARD', timeouts) then
      stands = found or length > 100 and redis.call('LPOS', queue, holder) ~= false
    end
  end
  local last = redis.call('LINDEX', queue, -1)
  local last_score = last and redis.call('ZSCORE', timeouts, last)
  if not stands then
    local enough = now + 5000
    if not to_front then
      local last_heard = last and redis.call('ZSCORE', beats, string.sub(last, 1, 36))
      if length >= 100 then
        enough = enough + 300000 * length
      elseif last_score and last_heard and now - last_heard < 2500 then
        enough = math.max(enough, last_score)
      else
        enough = behind or score_queue(queue, timeouts, beats, holder, now)
      end
      redis.call('ZREMRANGEBYSCORE', beats, 0, now - 86400000)
      last_score = enough
    end
    redis.call('ZADD', timeouts, enough, holder)
    if to_front then
      redis.call('LPUSH', queue, holder)
    else
      redis.call('RPUSH', queue, holder)
    end
  end
  local ttl = math.max(tonumber(last_score or 0) - now, 0) + 600000
  redis.call('PEXPIRE', queue, ttl)
  redis.call('PEXPIRE', timeouts, ttl)
  redis.call('PEXPIRE', beats, ttl)
end
local function write_hold(lock, holder, held, count, lease_ms)
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
local lock, cancelled, queue, timeouts, beats = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local holder, count, lease_ms, place = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local refusal, held = admit(lock, cancelled, holder, count)
if type(refusal) == 'table' or refusal and refusal < -1 then
  return refusal
end
if not refusal and held > 0 then
  write_hold(lock, holder, held, count, lease_ms)
  return nil
end
local first = redis.call('LINDEX', queue, 0)
local now = now_ms()
if place ~= 'none' and (refusal or first and first ~= holder) then
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  stand_in_queue(queue, timeouts, beats, holder, place == 'front', now)
end
if refusal then
  return refusal
end
if first and first ~= holder then
  local head, left = queue_head(queue, timeouts, beats, now)
  if head and head ~= holder then
    if place ~= 'front' or string.sub(head, 1, 36) ~= string.sub(holder, 1, 36) then
      if head ~= first or place == 'front' then
        redis.call(ARGV[5], ARGV[6] .. ':' .. head, '0')
      end
      return left
    end
    redis.call('LINSERT', queue, 'AFTER', holder, head)
    redis.call('LPOP', queue)
    redis.call('ZADD', timeouts, redis.call('ZSCORE', timeouts, holder), head)
  end
end
if first then
  leave_queue(queue, timeouts, beats, holder)
end
write_hold(lock, holder, 0, count, lease_ms)
return nil`,
  operands: (keys, args) => [5, keys.lock, keys.cancelled, keys.queue, keys.timeouts, keys.beats, args.holder, args.count, args.leaseMs, args.place, args.publish, args.channel],
  decode: integerOrNull,
};

/** a waiter of another client was told that a fair lock is free; if nobody has taken it since, tell the head of the queue again, past those who are silent. */
export const fairLockFollowUp: Script<
  { lock: string; queue: string; timeouts: string; beats: string },
  { publish: string; channel: string },
  number
> = {
  name: 'fair-lock/follow-up',
  sha1: '3651fbdd770675c8919ae35ec1e78abc1ea7b573',
  source: `-- fair-lock/follow-up
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function settle_queue(queue, timeouts, beats)
  local last = redis.call('LINDEX', queue, -1)
  if not last then
    redis.call('DEL', beats)
  elseif not redis.call('ZSCORE', beats, string.sub(last, 1, 36)) then
    redis.call('PERSIST', queue)
    redis.call('PERSIST', timeouts)
  end
end
local function queue_head(queue, timeouts, beats, now)
  local head, left
  for dropped = 0, 100 do
    head = redis.call('LINDEX', queue, 0)
    local heard = head and redis.call('ZSCORE', beats, string.sub(head, 1, 36))
    local ends = heard and heard + 4000 or head and redis.call('ZSCORE', timeouts, head) or 0
    left = math.max(ends - now, 0)
    if not head or left > 0 or dropped == 100 then
      if dropped > 0 then
        settle_queue(queue, timeouts, beats)
      end
      return head or nil, left
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', timeouts, head)
  end
end
local function tell_head(queue, timeouts, beats, publish, channel)
  if redis.call('EXISTS', queue) == 0 then
    return
  end
  local head = queue_head(queue, timeouts, beats, now_ms())
  if head then
    redis.call(publish, channel .. ':' .. head, '0')
    return redis.call('ZSCORE', beats, string.sub(head, 1, 36)) and head
  end
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return 0
end
return tell_head(KEYS[2], KEYS[3], KEYS[4], ARGV[1], ARGV[2]) and 1 or 0`,
  operands: (keys, args) => [4, keys.lock, keys.queue, keys.timeouts, keys.beats, args.publish, args.channel],
  decode: integer,
};

/** free a fair lock whoever holds it, at most once per request, and tell the head of its queue. */
export const fairLockForceRelease: Script<
  { lock: string; requests: string; queue: string; timeouts: string; beats: string },
  { number: number; floor: number; publish: string; channel: string },
  string
> = {
  name: 'fair-lock/force-release',
  sha1: '1c996db4bbbb44f17d4005972210627f6df28198',
  source: `-- fair-lock/force-release
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function settle_queue(queue, timeouts, beats)
  local last = redis.call('LINDEX', queue, -1)
  if not last then
    redis.call('DEL', beats)
  elseif not redis.call('ZSCORE', beats, string.sub(last, 1, 36)) then
    redis.call('PERSIST', queue)
    redis.call('PERSIST', timeouts)
  end
end
local function queue_head(queue, timeouts, beats, now)
  local head, left
  for dropped = 0, 100 do
    head = redis.call('LINDEX', queue, 0)
    local heard = head and redis.call('ZSCORE', beats, string.sub(head, 1, 36))
    local ends = heard and heard + 4000 or head and redis.call('ZSCORE', timeouts, head) or 0
    left = math.max(ends - now, 0)
    if not head or left > 0 or dropped == 100 then
      if dropped > 0 then
        settle_queue(queue, timeouts, beats)
      end
      return head or nil, left
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', timeouts, head)
  end
end
local function tell_head(queue, timeouts, beats, publish, channel)
  if redis.call('EXISTS', queue) == 0 then
    return
  end
  local head = queue_head(queue, timeouts, beats, now_ms())
  if head then
    redis.call(publish, channel .. ':' .. head, '0')
    return redis.call('ZSCORE', beats, string.sub(head, 1, 36)) and head
  end
end
local lock, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
if redis.call('HEXISTS', lock, 'mode') == 1 then
  return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
end
answer = tostring(redis.call('DEL', lock))
if answer == '1' then
  tell_head(KEYS[3], KEYS[4], KEYS[5], ARGV[3], ARGV[4])
end
return record(requests, number, floor, answer)`,
  operands: (keys, args) => [5, keys.lock, keys.requests, keys.queue, keys.timeouts, keys.beats, args.number, args.floor, args.publish, args.channel],
  decode: text,
};

/** state how many of a holder's holds are still alive; at none free the lock and tell the head of the queue. */
export const fairLockRelease: Script<
  { lock: string; cancelled: string; queue: string; timeouts: string; beats: string },
  { holder: string; count: number; burnMs: number; publish: string; channel: string },
  number
> = {
  name: 'fair-lock/release',
  sha1: '9259c5a3a7b427abe572e5c4fa6fa13471f622c5',
  source: `-- fair-lock/release
local function settle_queue(queue, timeouts, beats)
  local last = redis.call('LINDEX', queue, -1)
  if not last then
    redis.call('DEL', beats)
  elseif not redis.call('ZSCORE', beats, string.sub(last, 1, 36)) then
    redis.call('PERSIST', queue)
    redis.call('PERSIST', timeouts)
  end
end
local function leave_queue(queue, timeouts, beats, holder)
  redis.call('LREM', queue, 1, holder)
  redis.call('ZREM', timeouts, holder)
  settle_queue(queue, timeouts, beats)
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function queue_head(queue, timeouts, beats, now)
  local head, left
  for dropped = 0, 100 do
    head = redis.call('LINDEX', queue, 0)
    local heard = head and redis.call('ZSCORE', beats, string.sub(head, 1, 36))
    local ends = heard and heard + 4000 or head and redis.call('ZSCORE', timeouts, head) or 0
    left = math.max(ends - now, 0)
    if not head or left > 0 or dropped == 100 then
      if dropped > 0 then
        settle_queue(queue, timeouts, beats)
      end
      return head or nil, left
    end
    redis.call('LPOP', queue)
    redis.call('ZREM', timeouts, head)
  end
end
local function tell_head(queue, timeouts, beats, publish, channel)
  if redis.call('EXISTS', queue) == 0 then
    return
  end
  local head = queue_head(queue, timeouts, beats, now_ms())
  if head then
    redis.call(publish, channel .. ':' .. head, '0')
    return redis.call('ZSCORE', beats, string.sub(head, 1, 36)) and head
  end
end
local lock, queue, timeouts, beats = KEYS[1], KEYS[3], KEYS[4], KEYS[5]
local holder, count, burn_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if burn_ms > 0 then
  redis.call('SET', KEYS[2], '1', 'PX', burn_ms)
end
local held = redis.pcall('HEXISTS', lock, holder)
if held == 1 then
  if count > 0 then
    redis.call('HSET', lock, holder, count)
    return 0
  end
  redis.call('HDEL', lock, holder)
  if redis.call('EXISTS', lock) == 1 then
    return 0
  end
  local told = tell_head(queue, timeouts, beats, ARGV[4], ARGV[5])
  return told and string.sub(told, 1, 36) ~= string.sub(holder, 1, 36) and 2 or 1
end
local is_free = redis.call('EXISTS', lock) == 0
local first = redis.call('LINDEX', queue, 0)
if count == 0 and first then
  leave_queue(queue, timeouts, beats, holder)
  if is_free and first == holder then
    tell_head(queue, timeouts, beats, ARGV[4], ARGV[5])
  end
end
if type(held) == 'table' then
  return held
end
return is_free and -2 or -1`,
  operands: (keys, args) => [5, keys.lock, keys.cancelled, keys.queue, keys.timeouts, keys.beats, args.holder, args.count, args.burnMs, args.publish, args.channel],
  decode: integer,
};

/** count a latch down by one, at most once per request; open it at zero. */
export const latchCountDown: Script<
  { latch: string; opened: string; requests: string },
  { number: number; floor: number; publish: string; channel: string },
  string
> = {
  name: 'latch/count-down',
  sha1: 'f11c61c9fa29206e2ea0cdf8b2a48f78f4b926cc',
  source: `-- latch/count-down
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
local function latch_open(latch, opened, publish, channel)
  local time = redis.call('TIME')
  redis.call('DEL', latch)
  redis.call('SET', opened, time[1] .. '.' .. time[2], 'PX', 600000)
  redis.call(publish, channel, '0')
end
local latch, requests, number, floor = KEYS[1], KEYS[3], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
local count = latch_count(latch)
if not count then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if count > 1 then
  redis.call('DECR', latch)
elseif redis.call('EXISTS', latch) == 1 then
  latch_open(latch, KEYS[2], ARGV[3], ARGV[4])
end
return record(requests, number, floor, string.format('%.0f', math.max(count - 1, 0)))`,
  operands: (keys, args) => [3, keys.latch, keys.opened, keys.requests, args.number, args.floor, args.publish, args.channel],
  decode: text,
};

/** remove a latch and let its waiters go, at most once per request. */
export const latchDelete: Script<
  { latch: string; opened: string; requests: string },
  { number: number; floor: number; publish: string; channel: string },
  string
> = {
  name: 'latch/delete',
  sha1: '61f353a8fe094a3a63c1db9d06e2639a18f1aa63',
  source: `-- latch/delete
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
local function latch_open(latch, opened, publish, channel)
  local time = redis.call('TIME')
  redis.call('DEL', latch)
  redis.call('SET', opened, time[1] .. '.' .. time[2], 'PX', 600000)
  redis.call(publish, channel, '0')
end
local latch, requests, number, floor = KEYS[1], KEYS[3], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
if not latch_count(latch) then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if redis.call('EXISTS', latch) == 0 then
  return record(requests, number, floor, '0')
end
latch_open(latch, KEYS[2], ARGV[3], ARGV[4])
return record(requests, number, floor, '1')`,
  operands: (keys, args) => [3, keys.latch, keys.opened, keys.requests, args.number, args.floor, args.publish, args.channel],
  decode: text,
};

/** the count of a latch, when it last reached zero, and how long it still lives. */
export const latchInspect: Script<
  { latch: string; opened: string },
  Record<string, never>,
  string
> = {
  name: 'latch/inspect',
  sha1: 'f09107a564be661646efddc20e11d83270ae9bd3',
  source: `-- latch/inspect
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
local count = latch_count(KEYS[1])
if not count then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
local opened = redis.call('GET', KEYS[2]) or ''
return string.format('%.0f %.0f %s', count, redis.call('PTTL', KEYS[1]), opened)`,
  operands: (keys) => [2, keys.latch, keys.opened],
  decode: text,
};

/** set the count of a latch unless one is set, at most once per request. */
export const latchTrySetCount: Script<
  { latch: string; requests: string },
  { number: number; floor: number; count: number; ttlMs: number; publish: string; channel: string },
  string
> = {
  name: 'latch/try-set-count',
  sha1: 'c125b674b9d4156e2f448c977300e5ee867eae4b',
  source: `-- latch/try-set-count
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function latch_count(latch)
  local value = redis.call('GET', latch)
  if not value then
    return 0
  end
  local count = tonumber(value)
  if count and string.find(value, '^%-?%d+$') then
    return math.max(count, 0)
  end
  return nil
end
local latch, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
local count = latch_count(latch)
if not count then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if count > 0 then
  return record(requests, number, floor, '0')
end
redis.call('SET', latch, ARGV[3])
if tonumber(ARGV[4]) > 0 then
  redis.call('PEXPIRE', latch, ARGV[4])
end
redis.call(ARGV[5], ARGV[6], '1')
return record(requests, number, floor, '1')`,
  operands: (keys, args) => [2, keys.latch, keys.requests, args.number, args.floor, args.count, args.ttlMs, args.publish, args.channel],
  decode: text,
};

/** take hold number `count` of a lock, or say how long its lease still runs. */
export const lockAcquire: Script<
  { lock: string; cancelled: string },
  { holder: string; count: number; leaseMs: number },
  number | null
> = {
  name: 'lock/acquire',
  sha1: '5781d2fe418c0066488e73c27c56fa046bb63eb4',
  source: `-- lock/acquire
local function admit(lock, cancelled, holder, count)
  local held = redis.call('HGET', lock, holder)
  if held then
    return nil, tonumber(held)
  end
  if redis.call('EXISTS', lock) == 1 then
    if redis.call('HEXISTS', lock, 'mode') == 1 then
      return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
    end
    if count > 1 then
      return -4
    end
    return redis.call('PTTL', lock)
  end
  if count > 1 then
    return -2
  end
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  return nil, 0
end
local function write_hold(lock, holder, held, count, lease_ms)
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
local lock, holder, count = KEYS[1], ARGV[1], tonumber(ARGV[2])
local refusal, held = admit(lock, KEYS[2], holder, count)
if refusal then
  return refusal
end
write_hold(lock, holder, held, count, tonumber(ARGV[3]))
return nil`,
  operands: (keys, args) => [2, keys.lock, keys.cancelled, args.holder, args.count, args.leaseMs],
  decode: integerOrNull,
};

/** take a lock with a fencing token, or say how long its lease still runs. */
export const lockAcquireFenced: Script<
  { lock: string; cancelled: string; token: string },
  { holder: string; count: number; leaseMs: number },
  string
> = {
  name: 'lock/acquire-fenced',
  sha1: '41ef6d60b091217cbffdb6b975de61bada08c1c1',
  source: `-- lock/acquire-fenced
local function admit(lock, cancelled, holder, count)
  local held = redis.call('HGET', lock, holder)
  if held then
    return nil, tonumber(held)
  end
  if redis.call('EXISTS', lock) == 1 then
    if redis.call('HEXISTS', lock, 'mode') == 1 then
      return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
    end
    if count > 1 then
      return -4
    end
    return redis.call('PTTL', lock)
  end
  if count > 1 then
    return -2
  end
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  return nil, 0
end
local function write_hold(lock, holder, held, count, lease_ms)
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
local lock, token, holder, count = KEYS[1], KEYS[3], ARGV[1], tonumber(ARGV[2])
local refusal, held = admit(lock, KEYS[2], holder, count)
if type(refusal) == 'table' then
  return refusal
end
if refusal then
  return tostring(refusal)
end
if held == 0 or redis.call('EXISTS', token) == 0 then
  local time = redis.call('TIME')
  local micros = time[1] * 1000000 + time[2]
  if redis.call('INCR', token) < micros then
    redis.call('SET', token, string.format('%.0f', micros))
  end
end
write_hold(lock, holder, held, count, tonumber(ARGV[3]))
return '+' .. redis.call('GET', token)`,
  operands: (keys, args) => [3, keys.lock, keys.cancelled, keys.token, args.holder, args.count, args.leaseMs],
  decode: text,
};

/** free a lock whoever holds it, at most once per request. */
export const lockForceRelease: Script<
  { lock: string; requests: string },
  { number: number; floor: number; publish: string; channel: string },
  string
> = {
  name: 'lock/force-release',
  sha1: 'a1be9230a09d6f4142fa51dcdf2010319b50b030',
  source: `-- lock/force-release
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local lock, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
if redis.call('HEXISTS', lock, 'mode') == 1 then
  return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
end
answer = tostring(redis.call('DEL', lock))
if answer == '1' then
  redis.call(ARGV[3], ARGV[4], '0')
end
return record(requests, number, floor, answer)`,
  operands: (keys, args) => [2, keys.lock, keys.requests, args.number, args.floor, args.publish, args.channel],
  decode: text,
};

/** who holds a lock, and how long its lease still runs. */
export const lockInspect: Script<
  { lock: string },
  Record<string, never>,
  string
> = {
  name: 'lock/inspect',
  sha1: '9636e0de470c5dcfaf93aecda0b8c42ed8215092',
  source: `-- lock/inspect
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  if fields[i] == 'mode' then
    return redis.error_reply('WRONGTYPE the name is in use by a read-write lock')
  end
end
table.insert(fields, 1, redis.call('PTTL', KEYS[1]))
return cjson.encode(fields)`,
  operands: (keys) => [1, keys.lock],
  decode: text,
};

/** state how many of a holder's holds are still alive, and free the lock at none. */
export const lockRelease: Script<
  { lock: string; cancelled: string },
  { holder: string; count: number; burnMs: number; publish: string; channel: string },
  number
> = {
  name: 'lock/release',
  sha1: '69796181b8baefa39cdb657048ea0fcc422b933b',
  source: `-- lock/release
local lock, holder, count, burn_ms = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if burn_ms > 0 then
  redis.call('SET', KEYS[2], '1', 'PX', burn_ms)
end
if redis.call('HEXISTS', lock, holder) == 0 then
  return redis.call('EXISTS', lock) == 1 and -1 or -2
end
if count > 0 then
  redis.call('HSET', lock, holder, count)
  return 0
end
redis.call('HDEL', lock, holder)
if redis.call('EXISTS', lock) == 1 then
  return 0
end
return 1 + redis.call(ARGV[4], ARGV[5], '0')`,
  operands: (keys, args) => [2, keys.lock, keys.cancelled, args.holder, args.count, args.burnMs, args.publish, args.channel],
  decode: integer,
};

/** renew many leases at once, and say of each whether it is still held. */
export const lockRenew: Script<
  { locks: readonly string[] },
  { claims: readonly string[] },
  string
> = {
  name: 'lock/renew',
  sha1: '2c667369f61ad82d10d11deece7c2e874938afc9',
  source: `-- lock/renew
local answers = {}
for i = 1, #KEYS do
  local lock, holder, lease_ms = KEYS[i], ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  local held = redis.pcall('HEXISTS', lock, holder)
  if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  end
  if held == 1 then
    if lease_ms > redis.call('PTTL', lock) then
      redis.call('PEXPIRE', lock, lease_ms)
    end
    answers[i] = '1'
  else
    answers[i] = redis.call('EXISTS', lock) == 1 and '2' or '0'
  end
end
return table.concat(answers)`,
  operands: (keys, args) => [keys.locks.length, ...keys.locks, ...args.claims],
  decode: text,
};

/** take permits for the waiters of one client, in order, as many as fit. */
export const permitsAcquire: Script<
  { semaphore: string; timeouts: string; requests: string; line: string; beats: string },
  { number: number; floor: number; publish: string; channel: string; client: string; mustQueue: number; claims: readonly Buffer[] },
  string
> = {
  name: 'permits/acquire',
  sha1: '6d589e15e4cfc7670d50689c46ab9e8397f6eb5f',
  source: `-- permits/acquire
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local function permits_reclaim(semaphore, timeouts, now, wanted)
  local reclaimed = 0
  repeat
    local expired = redis.call('ZRANGEBYSCORE', timeouts, '-inf', now, 'LIMIT', 0, 1000)
    if #expired > 0 then
      redis.call('ZREM', timeouts, unpack(expired))
      redis.call('INCRBY', semaphore, #expired)
      reclaimed = reclaimed + #expired
    end
  until #expired < 1000 or reclaimed >= wanted
  return reclaimed
end
local function permit_id(first, i)
  local last = (struct.unpack('>I4', first, 13) + i) % 4294967296
  return string.sub(first, 1, 12) .. struct.pack('>I4', last)
end
local function permits_take(timeouts, first, count, expiry)
  for from = 0, count - 1, 1000 do
    local entries = {}
    for i = from, math.min(from + 1000, count) - 1 do
      entries[#entries + 1] = expiry
      entries[#entries + 1] = permit_id(first, i)
    end
    redis.call('ZADD', timeouts, unpack(entries))
  end
end
local function permits_expiry_ms(timeouts, count, now)
  local last = redis.call('ZRANGE', timeouts, count - 1, count - 1, 'WITHSCORES')
  if not last[2] or tonumber(last[2]) >= 922337203685477 then
    return -1
  end
  return math.max(tonumber(last[2]) - now, 0)
end
local function permits_share_ttl(semaphore, timeouts)
  local ttl = redis.call('PTTL', semaphore)
  if ttl > 0 then
    redis.call('PEXPIRE', timeouts, ttl)
  end
  return ttl
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local function permits_tell(timeouts, now, left, publish, channel)
  tell_available(left + redis.call('ZCOUNT', timeouts, '-inf', now), publish, channel)
end
local function beat(beats, member, now)
  redis.call('ZADD', beats, now, member)
  redis.call('PEXPIRE', beats, 600000)
end
local function first_in_line(line, beats, now)
  for i = 1, 32 do
    local first = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
    if not first[1] then
      return nil
    end
    local heard = redis.call('ZSCORE', beats, first[1])
    local left = heard and tonumber(heard) + 4000 - now or 0
    if left > 0 then
      return first[1], tonumber(first[2]), left
    end
    if i == 32 then
      return first[1], tonumber(first[2]), 0
    end
    redis.call('ZREM', line, first[1])
    redis.call('ZREM', beats, first[1])
  end
end
local function serve_waiters(semaphore, line, beats, client, must_queue, available, needs)
  local now, left = now_ms(), false
  if must_queue then
    local time = redis.call('TIME')
    local rank = string.format('%.0f', time[1] * 1000000 + time[2])
    redis.call('ZADD', line, 'NX', rank, client)
    redis.call('PEXPIRE', line, 600000)
    beat(beats, client, now)
  elseif redis.call('ZREM', line, client) == 1 then
    redis.call('ZREM', beats, client)
    left = true
  end
  local first, _, absent_ms = first_in_line(line, beats, now)
  local served, taken = 0, 0
  for i = 1, #needs do
    local need = tonumber(needs[i])
    if first and first ~= client or need > available - taken then
      break
    end
    served, taken = served + 1, taken + need
    if first then
      left = redis.call('ZREM', line, client) == 1
      redis.call('ZREM', beats, client)
      first, _, absent_ms = first_in_line(line, beats, now)
    end
  end
  if taken > 0 then
    redis.call('DECRBY', semaphore, string.format('%.0f', taken))
  end
  return served, taken, first and first ~= client and absent_ms or -1, left
end
local semaphore, timeouts, requests, number = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local answer = recall(requests, number)
if answer then
  return answer
end
local pool, wrong = permit_pool(semaphore)
if wrong then
  return wrong
end
local counts, leases, wanted = {}, {}, 0
for i = 7, #ARGV do
  local count, lease = string.match(ARGV[i], '^(%d+) (%d+)$', 17)
  counts[i - 6], leases[i - 6] = tonumber(count), tonumber(lease)
  wanted = wanted + tonumber(count)
end
local now = now_ms()
local reclaimed = pool and permits_reclaim(semaphore, timeouts, now, wanted - pool) or 0
local available = (pool or 0) + reclaimed
local served, taken, retry_ms, left =
  serve_waiters(semaphore, KEYS[4], KEYS[5], ARGV[5], ARGV[6] == '1', available, counts)
available = available - taken
for i = 1, served do
  permits_take(timeouts, ARGV[i + 6], counts[i], string.format('%.0f', now + leases[i]))
end
local life_ms = served > 0 and permits_share_ttl(semaphore, timeouts) or -1
if retry_ms < 0 and served < #counts and pool then
  retry_ms = permits_expiry_ms(timeouts, counts[served + 1] - available, now)
end
answer = string.format('%.0f %.0f %.0f', served, retry_ms, life_ms)
if served > 0 then
  record(requests, number, ARGV[2], answer)
end
if left then
  redis.call(ARGV[3], ARGV[4], string.format('%.0f', math.max(available, 0)))
elseif reclaimed > 0 then
  permits_tell(timeouts, now, available, ARGV[3], ARGV[4])
end
return answer`,
  operands: (keys, args) => [5, keys.semaphore, keys.timeouts, keys.requests, keys.line, keys.beats, args.number, args.floor, args.publish, args.channel, args.client, args.mustQueue, ...args.claims],
  decode: text,
};

/** remove a semaphore with all its permits, at most once per request. */
export const permitsDelete: Script<
  { semaphore: string; timeouts: string; requests: string },
  { number: number; floor: number },
  string
> = {
  name: 'permits/delete',
  sha1: 'a1355d17f1baa3ee8e11d1f3cacf73809ea47116',
  source: `-- permits/delete
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local semaphore, timeouts, requests, number = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local answer = recall(requests, number)
if answer then
  return answer
end
redis.call('ZCARD', timeouts)
local _, wrong = permit_pool(semaphore)
if wrong then
  return wrong
end
local removed = redis.call('UNLINK', semaphore, timeouts)
return record(requests, number, ARGV[2], removed > 0 and '1' or '0')`,
  operands: (keys, args) => [3, keys.semaphore, keys.timeouts, keys.requests, args.number, args.floor],
  decode: text,
};

/** make sure that an acquisition never runs (again), and return what it took. */
export const permitsGiveBack: Script<
  { semaphore: string; timeouts: string; requests: string; line: string; beats: string },
  { number: number; floor: number; publish: string; channel: string; client: string; leaves: number; claims: readonly Buffer[] },
  number
> = {
  name: 'permits/give-back',
  sha1: 'c968b9406767f58aa6d42b718b5f7c567ed1f7b3',
  source: `-- permits/give-back
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local function permit_id(first, i)
  local last = (struct.unpack('>I4', first, 13) + i) % 4294967296
  return string.sub(first, 1, 12) .. struct.pack('>I4', last)
end
local function permits_remove(timeouts, first, count, now)
  local removed, held = 0, 0
  for from = 0, count - 1, 1000 do
    local ids = {}
    for i = from, math.min(from + 1000, count) - 1 do
      ids[#ids + 1] = permit_id(first, i)
    end
    for _, expiry in ipairs(redis.call('ZMSCORE', timeouts, unpack(ids))) do
      held = held + (expiry and tonumber(expiry) > now and 1 or 0)
    end
    removed = removed + redis.call('ZREM', timeouts, unpack(ids))
  end
  return removed, held
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local function permits_tell(timeouts, now, left, publish, channel)
  tell_available(left + redis.call('ZCOUNT', timeouts, '-inf', now), publish, channel)
end
local function permits_return(semaphore, timeouts, claims, tells, publish, channel)
  local left, wrong = permit_pool(semaphore)
  if wrong then
    return wrong
  end
  local now, removed, held = now_ms(), 0, 0
  for _, claim in ipairs(claims) do
    local count = tonumber(string.sub(claim, 17))
    local some_removed, some_held = permits_remove(timeouts, claim, count, now)
    removed, held = removed + some_removed, held + some_held
  end
  if not left then
    return 0
  end
  if removed > 0 then
    redis.call('INCRBY', semaphore, removed)
  end
  if removed > 0 or tells then
    permits_tell(timeouts, now, left + removed, publish, channel)
  end
  return held
end
if not recall(KEYS[3], ARGV[1]) then
  record(KEYS[3], ARGV[1], ARGV[2], 'cancelled')
end
local left = false
if ARGV[6] == '1' then
  left = redis.call('ZREM', KEYS[4], ARGV[5]) == 1
  redis.call('ZREM', KEYS[5], ARGV[5])
end
local claims = {}
for i = 7, #ARGV do
  claims[i - 6] = ARGV[i]
end
return permits_return(KEYS[1], KEYS[2], claims, left, ARGV[3], ARGV[4])`,
  operands: (keys, args) => [5, keys.semaphore, keys.timeouts, keys.requests, keys.line, keys.beats, args.number, args.floor, args.publish, args.channel, args.client, args.leaves, ...args.claims],
  decode: integer,
};

/** the permits that are taken, the first 100 to expire. */
export const permitsHolders: Script<
  { timeouts: string },
  Record<string, never>,
  string
> = {
  name: 'permits/holders',
  sha1: 'a21807b339479130c06787b975618c887268adaa',
  source: `-- permits/holders
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local now = now_ms()
local entries =
  redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf', 'WITHSCORES', 'LIMIT', 0, 100)
local texts = {}
for i = 1, #entries, 2 do
  local id = string.gsub(entries[i], '.', function(byte)
    return string.format('%02x', string.byte(byte))
  end)
  local expiry = tonumber(entries[i + 1])
  local left = expiry < 922337203685477 and expiry - now or -1
  texts[#texts + 1] = id .. ' ' .. string.format('%.0f', left)
end
return table.concat(texts, ' ')`,
  operands: (keys) => [1, keys.timeouts],
  decode: text,
};

/** how many permits of a semaphore are left and how many are taken. */
export const permitsInspect: Script<
  { semaphore: string; timeouts: string },
  Record<string, never>,
  string
> = {
  name: 'permits/inspect',
  sha1: 'c7badba1f070f735cc08a8a21d52ec7dd9f3f595',
  source: `-- permits/inspect
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local left, wrong = permit_pool(KEYS[1])
if wrong then
  return wrong
end
if not left then
  return '0 0 0'
end
local expired = redis.call('ZCOUNT', KEYS[2], '-inf', now_ms())
local taken = redis.call('ZCARD', KEYS[2]) - expired
return string.format('%.0f %.0f 1', left + expired, taken)`,
  operands: (keys) => [2, keys.semaphore, keys.timeouts],
  decode: text,
};

/** return permits of our own to the pool. */
export const permitsRelease: Script<
  { semaphore: string; timeouts: string },
  { publish: string; channel: string; claim: Buffer },
  number
> = {
  name: 'permits/release',
  sha1: 'fd8013c5f58957b5365f8f245b203a161d4cdc47',
  source: `-- permits/release
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local function permit_id(first, i)
  local last = (struct.unpack('>I4', first, 13) + i) % 4294967296
  return string.sub(first, 1, 12) .. struct.pack('>I4', last)
end
local function permits_remove(timeouts, first, count, now)
  local removed, held = 0, 0
  for from = 0, count - 1, 1000 do
    local ids = {}
    for i = from, math.min(from + 1000, count) - 1 do
      ids[#ids + 1] = permit_id(first, i)
    end
    for _, expiry in ipairs(redis.call('ZMSCORE', timeouts, unpack(ids))) do
      held = held + (expiry and tonumber(expiry) > now and 1 or 0)
    end
    removed = removed + redis.call('ZREM', timeouts, unpack(ids))
  end
  return removed, held
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local function permits_tell(timeouts, now, left, publish, channel)
  tell_available(left + redis.call('ZCOUNT', timeouts, '-inf', now), publish, channel)
end
local function permits_return(semaphore, timeouts, claims, tells, publish, channel)
  local left, wrong = permit_pool(semaphore)
  if wrong then
    return wrong
  end
  local now, removed, held = now_ms(), 0, 0
  for _, claim in ipairs(claims) do
    local count = tonumber(string.sub(claim, 17))
    local some_removed, some_held = permits_remove(timeouts, claim, count, now)
    removed, held = removed + some_removed, held + some_held
  end
  if not left then
    return 0
  end
  if removed > 0 then
    redis.call('INCRBY', semaphore, removed)
  end
  if removed > 0 or tells then
    permits_tell(timeouts, now, left + removed, publish, channel)
  end
  return held
end
return permits_return(KEYS[1], KEYS[2], { ARGV[3] }, false, ARGV[1], ARGV[2])`,
  operands: (keys, args) => [2, keys.semaphore, keys.timeouts, args.publish, args.channel, args.claim],
  decode: integer,
};

/** return a permit to the pool whoever has it, at most once per request. */
export const permitsReleaseAny: Script<
  { semaphore: string; timeouts: string; requests: string },
  { number: number; floor: number; publish: string; channel: string; claim: Buffer },
  string
> = {
  name: 'permits/release-any',
  sha1: '50ba042657b65f63ca25a111af0e5950416c7677',
  source: `-- permits/release-any
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local function permit_id(first, i)
  local last = (struct.unpack('>I4', first, 13) + i) % 4294967296
  return string.sub(first, 1, 12) .. struct.pack('>I4', last)
end
local function permits_remove(timeouts, first, count, now)
  local removed, held = 0, 0
  for from = 0, count - 1, 1000 do
    local ids = {}
    for i = from, math.min(from + 1000, count) - 1 do
      ids[#ids + 1] = permit_id(first, i)
    end
    for _, expiry in ipairs(redis.call('ZMSCORE', timeouts, unpack(ids))) do
      held = held + (expiry and tonumber(expiry) > now and 1 or 0)
    end
    removed = removed + redis.call('ZREM', timeouts, unpack(ids))
  end
  return removed, held
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local function permits_tell(timeouts, now, left, publish, channel)
  tell_available(left + redis.call('ZCOUNT', timeouts, '-inf', now), publish, channel)
end
local function permits_return(semaphore, timeouts, claims, tells, publish, channel)
  local left, wrong = permit_pool(semaphore)
  if wrong then
    return wrong
  end
  local now, removed, held = now_ms(), 0, 0
  for _, claim in ipairs(claims) do
    local count = tonumber(string.sub(claim, 17))
    local some_removed, some_held = permits_remove(timeouts, claim, count, now)
    removed, held = removed + some_removed, held + some_held
  end
  if not left then
    return 0
  end
  if removed > 0 then
    redis.call('INCRBY', semaphore, removed)
  end
  if removed > 0 or tells then
    permits_tell(timeouts, now, left + removed, publish, channel)
  end
  return held
end
local requests, number = KEYS[3], ARGV[1]
local answer = recall(requests, number)
if answer then
  return answer
end
local held = permits_return(KEYS[1], KEYS[2], { ARGV[5] }, false, ARGV[3], ARGV[4])
if type(held) == 'table' then
  return held
end
return record(requests, number, ARGV[2], tostring(held))`,
  operands: (keys, args) => [3, keys.semaphore, keys.timeouts, keys.requests, args.number, args.floor, args.publish, args.channel, args.claim],
  decode: text,
};

/** renew the leases of many permits at once, and say of each whether it is held. */
export const permitsRenew: Script<
  { keys: readonly string[] },
  { claims: readonly Buffer[] },
  string
> = {
  name: 'permits/renew',
  sha1: '3ea7e373480f2afd853ca907ccff0787904b4c9c',
  source: `-- permits/renew
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local now = now_ms()
local answers = {}
for i = 1, #ARGV do
  local semaphore, timeouts = KEYS[2 * i - 1], KEYS[2 * i]
  local permit, lease_ms = string.sub(ARGV[i], 1, 16), tonumber(string.sub(ARGV[i], 17))
  local expiry = redis.pcall('ZSCORE', timeouts, permit)
  local ttl = redis.call('PTTL', semaphore)
  if type(expiry) == 'table' then
    if not string.find(expiry.err, 'WRONGTYPE', 1, true) then
      return expiry
    end
    answers[i] = '2'
  elseif not expiry or tonumber(expiry) <= now or ttl == -2 then
    answers[i] = '0'
  else
    if lease_ms > tonumber(expiry) - now then
      redis.call('ZADD', timeouts, string.format('%.0f', now + lease_ms), permit)
    end
    if ttl > 0 then
      redis.call('PEXPIRE', timeouts, ttl)
    end
    answers[i] = ttl < 0 and '1' or '1:' .. ttl
  end
end
return table.concat(answers, ' ')`,
  operands: (keys, args) => [keys.keys.length, ...keys.keys, ...args.claims],
  decode: text,
};

/** grow or shrink the number of permits, at most once per request. */
export const permitsResize: Script<
  { semaphore: string; timeouts: string; requests: string },
  { number: number; floor: number; way: string; permits: number; publish: string; channel: string },
  string
> = {
  name: 'permits/resize',
  sha1: 'a8c64e2205f7f8804172bd1b62f06610ca3eef64',
  source: `-- permits/resize
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local function permits_tell(timeouts, now, left, publish, channel)
  tell_available(left + redis.call('ZCOUNT', timeouts, '-inf', now), publish, channel)
end
local semaphore, timeouts, requests, number = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local answer = recall(requests, number)
if answer then
  return answer
end
local taken = redis.call('ZCARD', timeouts)
local left, wrong = permit_pool(semaphore)
if wrong then
  return wrong
end
if not left then
  redis.call('UNLINK', timeouts)
  left, taken = 0, 0
end
local total = left + taken
local delta = ARGV[3] == 'to' and ARGV[4] - total or tonumber(ARGV[4])
if total + delta > 2147483647 or left + delta < -2147483648 then
  return record(requests, number, ARGV[2], '0')
end
redis.call('INCRBY', semaphore, string.format('%.0f', delta))
record(requests, number, ARGV[2], '1')
if delta > 0 then
  permits_tell(timeouts, now_ms(), left + delta, ARGV[5], ARGV[6])
end
return '1'`,
  operands: (keys, args) => [3, keys.semaphore, keys.timeouts, keys.requests, args.number, args.floor, args.way, args.permits, args.publish, args.channel],
  decode: text,
};

/** set the number of permits unless one is set, at most once per request. */
export const permitsTrySet: Script<
  { semaphore: string; timeouts: string; requests: string },
  { number: number; floor: number; permits: number; ttlMs: number; publish: string; channel: string },
  string
> = {
  name: 'permits/try-set',
  sha1: '9f30fa69ed15f6d7c05daaa8766a005e5c23164e',
  source: `-- permits/try-set
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local semaphore, timeouts, requests, number = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local answer = recall(requests, number)
if answer then
  return answer
end
redis.call('ZCARD', timeouts)
local left, wrong = permit_pool(semaphore)
if wrong then
  return wrong
end
if left then
  return record(requests, number, ARGV[2], '0')
end
redis.call('UNLINK', timeouts)
redis.call('SET', semaphore, ARGV[3])
if tonumber(ARGV[4]) > 0 then
  redis.call('PEXPIRE', semaphore, ARGV[4])
end
record(requests, number, ARGV[2], '1')
if tonumber(ARGV[3]) > 0 then
  redis.call(ARGV[5], ARGV[6], ARGV[3])
end
return '1'`,
  operands: (keys, args) => [3, keys.semaphore, keys.timeouts, keys.requests, args.number, args.floor, args.permits, args.ttlMs, args.publish, args.channel],
  decode: text,
};

/** set when a permit expires, whoever has it, at most once per request. */
export const permitsUpdateLease: Script<
  { semaphore: string; timeouts: string; requests: string },
  { number: number; floor: number; permit: Buffer; leaseMs: number; publish: string; channel: string },
  string
> = {
  name: 'permits/update-lease',
  sha1: 'baf3d98904f08e7dcc7196a183dc373763acb266',
  source: `-- permits/update-lease
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function permit_pool(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return nil
  end
  if not string.find(value, '^%-?%d+$') then
    return nil, redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
  end
  return tonumber(value)
end
local function permits_share_ttl(semaphore, timeouts)
  local ttl = redis.call('PTTL', semaphore)
  if ttl > 0 then
    redis.call('PEXPIRE', timeouts, ttl)
  end
  return ttl
end
local semaphore, timeouts, requests, number = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local answer = recall(requests, number)
if answer then
  return answer
end
local left, wrong = permit_pool(semaphore)
if wrong then
  return wrong
end
local now = now_ms()
local expiry = tonumber(redis.call('ZSCORE', timeouts, ARGV[3]) or 0)
if not left or expiry <= now then
  return record(requests, number, ARGV[2], '0')
end
redis.call('ZADD', timeouts, string.format('%.0f', now + ARGV[4]), ARGV[3])
permits_share_ttl(semaphore, timeouts)
record(requests, number, ARGV[2], '1')
if now + ARGV[4] < expiry then
  redis.call(ARGV[5], ARGV[6], string.format('%.0f', math.max(left, 0)))
end
return '1'`,
  operands: (keys, args) => [3, keys.semaphore, keys.timeouts, keys.requests, args.number, args.floor, args.permit, args.leaseMs, args.publish, args.channel],
  decode: text,
};

/** make sure that a request that was given up never runs, or tell what it did. */
export const requestsCancel: Script<
  { requests: string },
  { number: number; floor: number },
  string
> = {
  name: 'requests/cancel',
  sha1: '7aef3900d95c72461c1f3ade6dc960ecad6cda76',
  source: `-- requests/cancel
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local answer = recall(KEYS[1], ARGV[1])
if answer then
  return answer
end
return record(KEYS[1], ARGV[1], ARGV[2], 'cancelled')`,
  operands: (keys, args) => [1, keys.requests, args.number, args.floor],
  decode: text,
};

/** admit readers, or say how long each has to wait. */
export const rwlockAcquireRead: Script<
  { lock: string; readers: string; writers: string; waiting: string; beats: string; ofClaims: readonly string[] },
  { client: string; place: string; publish: string; channel: string; claims: readonly string[] },
  string
> = {
  name: 'rwlock/acquire-read',
  sha1: 'ba05784983e3c95b9adbcf65ee7fcfe5ef7949f7',
  source: `-- rwlock/acquire-read
local function beat(beats, member, now)
  redis.call('ZADD', beats, now, member)
  redis.call('PEXPIRE', beats, 600000)
end
local function first_in_line(line, beats, now)
  for i = 1, 32 do
    local first = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
    if not first[1] then
      return nil
    end
    local heard = redis.call('ZSCORE', beats, first[1])
    local left = heard and tonumber(heard) + 4000 - now or 0
    if left > 0 then
      return first[1], tonumber(first[2]), left
    end
    if i == 32 then
      return first[1], tonumber(first[2]), 0
    end
    redis.call('ZREM', line, first[1])
    redis.call('ZREM', beats, first[1])
  end
end
local function keep_holds(keys, first, last, lease_ms)
  for i = first, last do
    if redis.call('PTTL', keys[i]) < lease_ms then
      redis.call('SET', keys[i], '1', 'PX', lease_ms)
    end
  end
end
local function rw_mode(lock)
  local mode = redis.call('HGET', lock, 'mode')
  if mode or redis.call('EXISTS', lock) == 0 then
    return mode
  end
  return redis.error_reply('WRONGTYPE the name is in use by a lock that is no read-write lock')
end
local function rw_sweep(lock, readers, now, publish, channel)
  local dead = redis.call('ZRANGEBYSCORE', readers, '-inf', now, 'LIMIT', 0, 100)
  if #dead == 0 then
    return
  end
  redis.call('HDEL', lock, unpack(dead))
  redis.call('ZREM', readers, unpack(dead))
  if redis.call('HGET', lock, 'mode') == 'read' and redis.call('HLEN', lock) == 1 then
    redis.call('DEL', lock)
    redis.call(publish, channel, '0')
  end
end
local function write_hold(lock, holder, held, count, lease_ms)
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
local lock, readers, writers, waiting, beats = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local client = ARGV[1]
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
rw_sweep(lock, readers, now, ARGV[3], ARGV[4])
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local writer, writer_since, writer_ms
if mode ~= 'write' then
  writer, writer_since, writer_ms = first_in_line(writers, beats, now)
end
local function refusal(count, since, writer_beside, cancelled)
  local is_beside = mode == 'write' and redis.call('HEXISTS', lock, writer_beside .. ':write') == 1
  if count > 1 and not is_beside then
    return mode and -4 or -2
  end
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  if is_beside then
    return nil
  end
  if mode == 'write' then
    return redis.call('PTTL', lock)
  end
  return writer and writer_since < since and writer_ms or nil
end
local answers, earliest, key = { string.format('%.0f', micros) }, nil, 6
for i = 5, #ARGV, 5 do
  local reader, count, lease_ms = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local since = tonumber(ARGV[i + 3])
  since = since > 0 and since or micros
  local held = tonumber(redis.call('HGET', lock, reader) or 0)
  local code = held == 0 and refusal(count, since, ARGV[i + 4], KEYS[key]) or nil
  if code then
    answers[#answers + 1] = string.format('%.0f', code)
    if code >= -1 then
      earliest = math.min(earliest or since, since)
    end
  else
    if not mode then
      mode = 'read'
      redis.call('DEL', readers)
      redis.call('HSET', lock, 'mode', mode)
    end
    write_hold(lock, reader, held, count, lease_ms)
    keep_holds(KEYS, key + 1, key + 2, lease_ms)
    redis.call('ZADD', readers, 'GT', now + lease_ms, reader)
    redis.call('PEXPIRE', readers, redis.call('PTTL', lock))
    answers[#answers + 1] = 'T'
  end
  key = key + 3
end
if ARGV[2] == 'line' then
  if earliest then
    local before = redis.call('ZSCORE', waiting, client)
    if not mode and before and tonumber(before) < earliest then
      redis.call(ARGV[3], ARGV[4], '0')
    end
    redis.call('ZADD', waiting, earliest, client)
    redis.call('PEXPIRE', waiting, 600000)
    beat(beats, client, now)
  elseif redis.call('ZREM', waiting, client) == 1 then
    redis.call('ZREM', beats, client)
  end
end
return table.concat(answers, ' ')`,
  operands: (keys, args) => [5 + keys.ofClaims.length, keys.lock, keys.readers, keys.writers, keys.waiting, keys.beats, ...keys.ofClaims, args.client, args.place, args.publish, args.channel, ...args.claims],
  decode: text,
};

/** take hold number `count` of the write lock, or say how long to wait. */
export const rwlockAcquireWrite: Script<
  { lock: string; cancelled: string; readers: string; writers: string; waiting: string; beats: string },
  { holder: string; count: number; leaseMs: number; place: string; publish: string; channel: string; stem: string },
  number | null
> = {
  name: 'rwlock/acquire-write',
  sha1: 'fa87225a5798f218c0a7d633e87fea8dac1c5e67',
  source: `-- rwlock/acquire-write
local function beat(beats, member, now)
  redis.call('ZADD', beats, now, member)
  redis.call('PEXPIRE', beats, 600000)
end
local function first_in_line(line, beats, now)
  for i = 1, 32 do
    local first = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
    if not first[1] then
      return nil
    end
    local heard = redis.call('ZSCORE', beats, first[1])
    local left = heard and tonumber(heard) + 4000 - now or 0
    if left > 0 then
      return first[1], tonumber(first[2]), left
    end
    if i == 32 then
      return first[1], tonumber(first[2]), 0
    end
    redis.call('ZREM', line, first[1])
    redis.call('ZREM', beats, first[1])
  end
end
local function rw_mode(lock)
  local mode = redis.call('HGET', lock, 'mode')
  if mode or redis.call('EXISTS', lock) == 0 then
    return mode
  end
  return redis.error_reply('WRONGTYPE the name is in use by a lock that is no read-write lock')
end
local function rw_readers(lock, readers, now, stem, publish, channel)
  local last = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')
  if last[1] and tonumber(last[2]) > now and redis.call('HEXISTS', lock, last[1]) == 1 then
    return tonumber(last[2]) - now
  end
  local are_all = redis.call('HLEN', lock) <= 200
  local fields = redis.call('HRANDFIELD', lock, 200, 'WITHVALUES')
  for i = 1, #fields, 2 do
    local reader, left = fields[i], 0
    if reader ~= 'mode' then
      local ends_at = redis.call('ZSCORE', readers, reader)
      if ends_at then
        left = tonumber(ends_at) - now
      else
        for hold = 1, math.min(tonumber(fields[i + 1]) or 0, 100) do
          local key = stem .. reader .. ':rwlock_timeout:' .. hold
          left = math.max(left, redis.call('PTTL', key))
        end
      end
      if left > 0 then
        return left
      end
      redis.call('HDEL', lock, reader)
      redis.call('ZREM', readers, reader)
    end
  end
  if not are_all then
    return 0
  end
  redis.call('DEL', lock, readers)
  redis.call(publish, channel, '0')
  return nil
end
local function rw_sweep(lock, readers, now, publish, channel)
  local dead = redis.call('ZRANGEBYSCORE', readers, '-inf', now, 'LIMIT', 0, 100)
  if #dead == 0 then
    return
  end
  redis.call('HDEL', lock, unpack(dead))
  redis.call('ZREM', readers, unpack(dead))
  if redis.call('HGET', lock, 'mode') == 'read' and redis.call('HLEN', lock) == 1 then
    redis.call('DEL', lock)
    redis.call(publish, channel, '0')
  end
end
local function write_hold(lock, holder, held, count, lease_ms)
  if held < count then
    redis.call('HSET', lock, holder, count)
  end
  if redis.call('PTTL', lock) < lease_ms then
    redis.call('PEXPIRE', lock, lease_ms)
  end
end
local lock, cancelled, readers, writers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local waiting, beats = KEYS[5], KEYS[6]
local holder, count, lease_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local field = holder .. ':write'
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local now = math.floor(micros / 1000)
rw_sweep(lock, readers, now, ARGV[5], ARGV[6])
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local function busy()
  if mode == 'write' then
    return redis.call('PTTL', lock)
  end
  local left = mode and rw_readers(lock, readers, now, ARGV[7], ARGV[5], ARGV[6]) or nil
  if left then
    return left
  end
  local reader, since, reader_ms = first_in_line(waiting, beats, now)
  local mine = redis.call('ZSCORE', writers, holder)
  return reader and since < (tonumber(mine or micros)) and reader_ms or nil
end
local held = tonumber(redis.call('HGET', lock, field) or 0)
if held == 0 then
  if count > 1 then
    return mode and -4 or -2
  end
  if redis.call('EXISTS', cancelled) == 1 then
    return -3
  end
  local ms = busy()
  if ms then
    if ARGV[4] == 'line' then
      redis.call('ZADD', writers, 'NX', micros, holder)
      redis.call('PEXPIRE', writers, 600000)
      beat(beats, holder, now)
    end
    return ms
  end
  redis.call('DEL', readers)
  redis.call('HSET', lock, 'mode', 'write')
end
write_hold(lock, field, held, count, lease_ms)
if redis.call('ZREM', writers, holder) == 1 then
  redis.call('ZREM', beats, holder)
end
return nil`,
  operands: (keys, args) => [6, keys.lock, keys.cancelled, keys.readers, keys.writers, keys.waiting, keys.beats, args.holder, args.count, args.leaseMs, args.place, args.publish, args.channel, args.stem],
  decode: integerOrNull,
};

/** free a read-write lock whoever holds it in one mode, at most once per request. */
export const rwlockForceRelease: Script<
  { lock: string; readers: string; requests: string },
  { number: number; floor: number; mode: string; publish: string; channel: string; stem: string },
  string
> = {
  name: 'rwlock/force-release',
  sha1: 'cce1446f7f7b80db6743b3c4abddc3aa234f8433',
  source: `-- rwlock/force-release
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function rw_mode(lock)
  local mode = redis.call('HGET', lock, 'mode')
  if mode or redis.call('EXISTS', lock) == 0 then
    return mode
  end
  return redis.error_reply('WRONGTYPE the name is in use by a lock that is no read-write lock')
end
local function rw_sweep(lock, readers, now, publish, channel)
  local dead = redis.call('ZRANGEBYSCORE', readers, '-inf', now, 'LIMIT', 0, 100)
  if #dead == 0 then
    return
  end
  redis.call('HDEL', lock, unpack(dead))
  redis.call('ZREM', readers, unpack(dead))
  if redis.call('HGET', lock, 'mode') == 'read' and redis.call('HLEN', lock) == 1 then
    redis.call('DEL', lock)
    redis.call(publish, channel, '0')
  end
end
local lock, readers, requests, number, floor = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
rw_sweep(lock, readers, now_ms(), ARGV[4], ARGV[5])
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
if mode ~= ARGV[3] then
  return record(requests, number, floor, '0')
end
local fields = redis.call('HSCAN', lock, 0, 'COUNT', 500)[2]
for i = 1, #fields, 2 do
  for hold = 1, math.min(tonumber(fields[i + 1]) or 0, 100) do
    redis.call('DEL', ARGV[6] .. fields[i] .. ':rwlock_timeout:' .. hold)
  end
end
redis.call('DEL', lock, readers)
redis.call(ARGV[4], ARGV[5], mode == 'write' and '1' or '0')
return record(requests, number, floor, '1')`,
  operands: (keys, args) => [3, keys.lock, keys.readers, keys.requests, args.number, args.floor, args.mode, args.publish, args.channel, args.stem],
  decode: text,
};

/** who holds a read-write lock, and how long each lease still runs. */
export const rwlockInspect: Script<
  { lock: string; readers: string },
  { stem: string },
  string
> = {
  name: 'rwlock/inspect',
  sha1: '984d450a6a047659ce789103a70f20128bda3857',
  source: `-- rwlock/inspect
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function rw_mode(lock)
  local mode = redis.call('HGET', lock, 'mode')
  if mode or redis.call('EXISTS', lock) == 0 then
    return mode
  end
  return redis.error_reply('WRONGTYPE the name is in use by a lock that is no read-write lock')
end
local lock, now = KEYS[1], now_ms()
local mode = rw_mode(lock)
if type(mode) == 'table' then
  return mode
end
local ends = {}
local ours = redis.call('ZRANGE', KEYS[2], 0, -1, 'WITHSCORES')
for i = 1, #ours, 2 do
  ends[ours[i]] = tonumber(ours[i + 1])
end
local fields, holders = redis.call('HGETALL', lock), {}
for i = 1, #fields, 2 do
  local holder, holds = fields[i], fields[i + 1]
  local left = 0
  if string.sub(holder, -6) == ':write' then
    left = redis.call('PTTL', lock)
  elseif ends[holder] then
    left = math.max(0, ends[holder] - now)
  elseif holder ~= 'mode' then
    for hold = 1, math.min(tonumber(holds) or 0, 100) do
      left = math.max(left, redis.call('PTTL', ARGV[1] .. holder .. ':rwlock_timeout:' .. hold))
    end
  end
  if left ~= 0 then
    for _, part in ipairs({ holder, holds, string.format('%.0f', left) }) do
      holders[#holders + 1] = part
    end
  end
end
return #holders == 0 and '[]' or cjson.encode(holders)`,
  operands: (keys, args) => [2, keys.lock, keys.readers, args.stem],
  decode: text,
};

/** no reader of a client waits any more; writers that stood back for it may go. */
export const rwlockLeaveLine: Script<
  { lock: string; waiting: string; beats: string },
  { client: string; publish: string; channel: string },
  number
> = {
  name: 'rwlock/leave-line',
  sha1: '8b4ec4154e24762cca8892ae4e03abc18d4041e7',
  source: `-- rwlock/leave-line
local left = redis.call('ZREM', KEYS[2], ARGV[1])
if left == 1 then
  redis.call('ZREM', KEYS[3], ARGV[1])
  if redis.call('EXISTS', KEYS[1]) == 0 then
    redis.call(ARGV[2], ARGV[3], '0')
  end
end
return left`,
  operands: (keys, args) => [3, keys.lock, keys.waiting, keys.beats, args.client, args.publish, args.channel],
  decode: integer,
};

/** state how many of a reader's holds are still alive; the last reader that leaves frees the lock. */
export const rwlockReleaseRead: Script<
  { lock: string; cancelled: string; readers: string; holds: readonly string[] },
  { holder: string; count: number; burnMs: number; publish: string; channel: string; stem: string },
  number
> = {
  name: 'rwlock/release-read',
  sha1: 'fddb1cf76b2bc8dee91037a7b2551381e5cb676e',
  source: `-- rwlock/release-read
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function rw_is_alive(readers, reader, hold, now)
  local ends_at = redis.call('ZSCORE', readers, reader)
  if ends_at then
    return tonumber(ends_at) > now
  end
  return redis.call('EXISTS', hold) == 1
end
local function rw_readers(lock, readers, now, stem, publish, channel)
  local last = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')
  if last[1] and tonumber(last[2]) > now and redis.call('HEXISTS', lock, last[1]) == 1 then
    return tonumber(last[2]) - now
  end
  local are_all = redis.call('HLEN', lock) <= 200
  local fields = redis.call('HRANDFIELD', lock, 200, 'WITHVALUES')
  for i = 1, #fields, 2 do
    local reader, left = fields[i], 0
    if reader ~= 'mode' then
      local ends_at = redis.call('ZSCORE', readers, reader)
      if ends_at then
        left = tonumber(ends_at) - now
      else
        for hold = 1, math.min(tonumber(fields[i + 1]) or 0, 100) do
          local key = stem .. reader .. ':rwlock_timeout:' .. hold
          left = math.max(left, redis.call('PTTL', key))
        end
      end
      if left > 0 then
        return left
      end
      redis.call('HDEL', lock, reader)
      redis.call('ZREM', readers, reader)
    end
  end
  if not are_all then
    return 0
  end
  redis.call('DEL', lock, readers)
  redis.call(publish, channel, '0')
  return nil
end
local lock, cancelled, readers = KEYS[1], KEYS[2], KEYS[3]
local holder, count, burn_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local first = 4
if burn_ms > 0 then
  redis.call('SET', cancelled, '1', 'PX', burn_ms)
end
local mode = redis.call('HGET', lock, 'mode')
if redis.call('HEXISTS', lock, holder) == 0 then
  redis.call('ZREM', readers, holder)
  redis.call('DEL', unpack(KEYS, first))
  return mode == 'write' and -1 or -2
end
local now = now_ms()
local alive = rw_is_alive(readers, holder, KEYS[first], now)
if alive and count > 0 then
  for i = first + 1, #KEYS do
    redis.call('DEL', KEYS[i])
  end
  redis.call('HSET', lock, holder, count)
  return 0
end
redis.call('DEL', unpack(KEYS, first))
redis.call('HDEL', lock, holder)
redis.call('ZREM', readers, holder)
local freed = mode == 'read' and not rw_readers(lock, readers, now, ARGV[6], ARGV[4], ARGV[5])
if not alive then
  return -2
end
return freed and 1 or 0`,
  operands: (keys, args) => [3 + keys.holds.length, keys.lock, keys.cancelled, keys.readers, ...keys.holds, args.holder, args.count, args.burnMs, args.publish, args.channel, args.stem],
  decode: integer,
};

/** state how many of a writer's holds are still alive; at none the lock is free, or goes on as its own readers' (downgrade). A writer that waits leaves its line. */
export const rwlockReleaseWrite: Script<
  { lock: string; cancelled: string; writers: string; beats: string; readers: string },
  { holder: string; count: number; burnMs: number; publish: string; channel: string; stem: string },
  number
> = {
  name: 'rwlock/release-write',
  sha1: '447270d7b5a36a9ca70c92790f3f015df363ec45',
  source: `-- rwlock/release-write
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function rw_readers(lock, readers, now, stem, publish, channel)
  local last = redis.call('ZREVRANGE', readers, 0, 0, 'WITHSCORES')
  if last[1] and tonumber(last[2]) > now and redis.call('HEXISTS', lock, last[1]) == 1 then
    return tonumber(last[2]) - now
  end
  local are_all = redis.call('HLEN', lock) <= 200
  local fields = redis.call('HRANDFIELD', lock, 200, 'WITHVALUES')
  for i = 1, #fields, 2 do
    local reader, left = fields[i], 0
    if reader ~= 'mode' then
      local ends_at = redis.call('ZSCORE', readers, reader)
      if ends_at then
        left = tonumber(ends_at) - now
      else
        for hold = 1, math.min(tonumber(fields[i + 1]) or 0, 100) do
          local key = stem .. reader .. ':rwlock_timeout:' .. hold
          left = math.max(left, redis.call('PTTL', key))
        end
      end
      if left > 0 then
        return left
      end
      redis.call('HDEL', lock, reader)
      redis.call('ZREM', readers, reader)
    end
  end
  if not are_all then
    return 0
  end
  redis.call('DEL', lock, readers)
  redis.call(publish, channel, '0')
  return nil
end
local lock, cancelled, writers, beats = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local holder, count, burn_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local publish, channel = ARGV[4], ARGV[5]
local field = holder .. ':write'
if burn_ms > 0 then
  redis.call('SET', cancelled, '1', 'PX', burn_ms)
end
if redis.call('HEXISTS', lock, field) == 0 then
  if redis.call('ZREM', writers, holder) == 1 then
    redis.call('ZREM', beats, holder)
    if redis.call('HGET', lock, 'mode') ~= 'write' then
      redis.call(publish, channel, '1')
    end
  end
  return redis.call('EXISTS', lock) == 1 and -1 or -2
end
if count > 0 then
  redis.call('HSET', lock, field, count)
  return 0
end
redis.call('HDEL', lock, field)
if redis.call('HLEN', lock) == 1 then
  redis.call('DEL', lock)
else
  redis.call('HSET', lock, 'mode', 'read')
  rw_readers(lock, KEYS[5], now_ms(), ARGV[6], publish, channel)
end
redis.call(publish, channel, '1')
return 1`,
  operands: (keys, args) => [5, keys.lock, keys.cancelled, keys.writers, keys.beats, keys.readers, args.holder, args.count, args.burnMs, args.publish, args.channel, args.stem],
  decode: integer,
};

/** renew many readers at once, each with its hold keys, and say of each whether it still reads. */
export const rwlockRenewRead: Script<
  { ofClaims: readonly string[] },
  { claims: readonly string[] },
  string
> = {
  name: 'rwlock/renew-read',
  sha1: 'abc15f3ef0ccba2c7dfe68cabae8a9df2c970fbe',
  source: `-- rwlock/renew-read
local function keep_holds(keys, first, last, lease_ms)
  for i = first, last do
    if redis.call('PTTL', keys[i]) < lease_ms then
      redis.call('SET', keys[i], '1', 'PX', lease_ms)
    end
  end
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function rw_is_alive(readers, reader, hold, now)
  local ends_at = redis.call('ZSCORE', readers, reader)
  if ends_at then
    return tonumber(ends_at) > now
  end
  return redis.call('EXISTS', hold) == 1
end
local answers, key, now = {}, 1, now_ms()
for i = 1, #ARGV, 3 do
  local lock, readers, reader = KEYS[key], KEYS[key + 1], ARGV[i]
  local count, lease_ms = tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local held = redis.pcall('HEXISTS', lock, reader)
  if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  end
  if held == 1 and rw_is_alive(readers, reader, KEYS[key + 2], now) then
    if lease_ms > 0 then
      keep_holds(KEYS, key + 2, key + 1 + count, lease_ms)
      redis.call('ZADD', readers, 'GT', now + lease_ms, reader)
      if redis.call('PTTL', lock) < lease_ms then
        redis.call('PEXPIRE', lock, lease_ms)
      end
      redis.call('PEXPIRE', readers, redis.call('PTTL', lock))
    end
    answers[#answers + 1] = '1'
  else
    answers[#answers + 1] = redis.pcall('HGET', lock, 'mode') == 'write' and '2' or '0'
  end
  key = key + 2 + count
end
return table.concat(answers)`,
  operands: (keys, args) => [keys.ofClaims.length, ...keys.ofClaims, ...args.claims],
  decode: text,
};

/** take permits for the waiters of one client, in order, as many as fit. */
export const semaphoreAcquire: Script<
  { semaphore: string; requests: string; line: string; beats: string },
  { number: number; floor: number; publish: string; channel: string; client: string; mustQueue: number; needs: readonly number[] },
  string
> = {
  name: 'semaphore/acquire',
  sha1: '794e458edee58476b1e4b2fe6b0d17b3a2e3c7e0',
  source: `-- semaphore/acquire
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function available_permits(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function beat(beats, member, now)
  redis.call('ZADD', beats, now, member)
  redis.call('PEXPIRE', beats, 600000)
end
local function first_in_line(line, beats, now)
  for i = 1, 32 do
    local first = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
    if not first[1] then
      return nil
    end
    local heard = redis.call('ZSCORE', beats, first[1])
    local left = heard and tonumber(heard) + 4000 - now or 0
    if left > 0 then
      return first[1], tonumber(first[2]), left
    end
    if i == 32 then
      return first[1], tonumber(first[2]), 0
    end
    redis.call('ZREM', line, first[1])
    redis.call('ZREM', beats, first[1])
  end
end
local function serve_waiters(semaphore, line, beats, client, must_queue, available, needs)
  local now, left = now_ms(), false
  if must_queue then
    local time = redis.call('TIME')
    local rank = string.format('%.0f', time[1] * 1000000 + time[2])
    redis.call('ZADD', line, 'NX', rank, client)
    redis.call('PEXPIRE', line, 600000)
    beat(beats, client, now)
  elseif redis.call('ZREM', line, client) == 1 then
    redis.call('ZREM', beats, client)
    left = true
  end
  local first, _, absent_ms = first_in_line(line, beats, now)
  local served, taken = 0, 0
  for i = 1, #needs do
    local need = tonumber(needs[i])
    if first and first ~= client or need > available - taken then
      break
    end
    served, taken = served + 1, taken + need
    if first then
      left = redis.call('ZREM', line, client) == 1
      redis.call('ZREM', beats, client)
      first, _, absent_ms = first_in_line(line, beats, now)
    end
  end
  if taken > 0 then
    redis.call('DECRBY', semaphore, string.format('%.0f', taken))
  end
  return served, taken, first and first ~= client and absent_ms or -1, left
end
local semaphore, requests, number, client = KEYS[1], KEYS[2], ARGV[1], ARGV[5]
local answer = recall(requests, number)
if answer then
  return answer
end
local available = available_permits(semaphore)
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
local served, taken, retry_ms, left =
  serve_waiters(semaphore, KEYS[3], KEYS[4], client, ARGV[6] == '1', available, { unpack(ARGV, 7) })
answer = string.format('%.0f %.0f %.0f', served, taken, retry_ms)
if served > 0 then
  record(requests, number, ARGV[2], answer)
end
if left then
  tell_available(available - taken, ARGV[3], ARGV[4])
end
return answer`,
  operands: (keys, args) => [4, keys.semaphore, keys.requests, keys.line, keys.beats, args.number, args.floor, args.publish, args.channel, args.client, args.mustQueue, ...args.needs],
  decode: text,
};

/** change the number of permits, at most once per request. */
export const semaphoreAddPermits: Script<
  { semaphore: string; requests: string },
  { number: number; floor: number; publish: string; channel: string; delta: number },
  string
> = {
  name: 'semaphore/add-permits',
  sha1: 'cc37413e72e4242a128b323efa95c56a8ed7ebd3',
  source: `-- semaphore/add-permits
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function available_permits(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local semaphore, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
local available = available_permits(semaphore)
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
local sum = available + ARGV[5]
if sum > 2147483647 or sum < -2147483648 then
  return record(requests, number, floor, string.format('full %.0f', available))
end
redis.call('INCRBY', semaphore, ARGV[5])
answer = record(requests, number, floor, string.format('%.0f', sum))
if tonumber(ARGV[5]) > 0 then
  tell_available(sum, ARGV[3], ARGV[4])
end
return answer`,
  operands: (keys, args) => [2, keys.semaphore, keys.requests, args.number, args.floor, args.publish, args.channel, args.delta],
  decode: text,
};

/** remove a semaphore, at most once per request. */
export const semaphoreDelete: Script<
  { semaphore: string; requests: string },
  { number: number; floor: number },
  string
> = {
  name: 'semaphore/delete',
  sha1: 'd0e26c3350323cf03b21931fbc0191b12c5dba0c',
  source: `-- semaphore/delete
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function available_permits(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
local semaphore, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
if not available_permits(semaphore) then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
return record(requests, number, floor, tostring(redis.call('DEL', semaphore)))`,
  operands: (keys, args) => [2, keys.semaphore, keys.requests, args.number, args.floor],
  decode: text,
};

/** take all permits that are left, at most once per request. */
export const semaphoreDrainPermits: Script<
  { semaphore: string; requests: string },
  { number: number; floor: number },
  string
> = {
  name: 'semaphore/drain-permits',
  sha1: 'e527ed3054242331fbd6b28a95952f0918f610e0',
  source: `-- semaphore/drain-permits
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function available_permits(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
local semaphore, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
local available = available_permits(semaphore)
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if available > 0 then
  redis.call('DECRBY', semaphore, string.format('%.0f', available))
end
return record(requests, number, floor, string.format('%.0f', math.max(available, 0)))`,
  operands: (keys, args) => [2, keys.semaphore, keys.requests, args.number, args.floor],
  decode: text,
};

/** make sure that a request never runs (again), and undo what it took. */
export const semaphoreGiveBack: Script<
  { semaphore: string; requests: string; line: string; beats: string },
  { number: number; floor: number; publish: string; channel: string; client: string; leaves: number; permits: number },
  number
> = {
  name: 'semaphore/give-back',
  sha1: '6f20ecf47fdbac890a8d97c7d674b514dceff662',
  source: `-- semaphore/give-back
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local function available_permits(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
local function give_back_permits(semaphore, permits)
  local available, exists = available_permits(semaphore)
  if not available or not exists then
    return 0, 0
  end
  local given = math.max(math.min(permits, 2147483647 - available), 0)
  if given > 0 then
    redis.call('INCRBY', semaphore, string.format('%.0f', given))
  end
  return given, available + given
end
local semaphore, requests, number, client = KEYS[1], KEYS[2], ARGV[1], ARGV[5]
local answer = recall(requests, number)
local permits = answer and tonumber(string.match(answer, '^%d+ (%d+)') or 0) or tonumber(ARGV[7])
redis.call('ZREMRANGEBYSCORE', requests, number, number)
record(requests, number, ARGV[2], 'cancelled')
local left = false
if ARGV[6] == '1' then
  left = redis.call('ZREM', KEYS[3], client) == 1
  redis.call('ZREM', KEYS[4], client)
end
if permits == 0 and not left then
  return 0
end
local given, available = give_back_permits(semaphore, permits)
tell_available(available, ARGV[3], ARGV[4])
return given`,
  operands: (keys, args) => [4, keys.semaphore, keys.requests, keys.line, keys.beats, args.number, args.floor, args.publish, args.channel, args.client, args.leaves, args.permits],
  decode: integer,
};

/** how many permits a semaphore has left, and whether any were set. */
export const semaphoreInspect: Script<
  { semaphore: string },
  Record<string, never>,
  string
> = {
  name: 'semaphore/inspect',
  sha1: '8aad704db1556b22dbe684223d798c6cdc05102d',
  source: `-- semaphore/inspect
local function available_permits(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
local available, exists = available_permits(KEYS[1])
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
return string.format('%.0f %.0f', available, exists and 1 or 0)`,
  operands: (keys) => [1, keys.semaphore],
  decode: text,
};

/** give permits back, at most once per request, and serve waiters with them. */
export const semaphoreRelease: Script<
  { semaphore: string; requests: string; line: string; beats: string },
  { number: number; floor: number; publish: string; channel: string; client: string; mustQueue: number; permits: number; mayCreate: number; needs: readonly number[] },
  string
> = {
  name: 'semaphore/release',
  sha1: '22b5074be5606a9f879ed9f3d3c2d3b7c68d0490',
  source: `-- semaphore/release
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function available_permits(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function beat(beats, member, now)
  redis.call('ZADD', beats, now, member)
  redis.call('PEXPIRE', beats, 600000)
end
local function first_in_line(line, beats, now)
  for i = 1, 32 do
    local first = redis.call('ZRANGE', line, 0, 0, 'WITHSCORES')
    if not first[1] then
      return nil
    end
    local heard = redis.call('ZSCORE', beats, first[1])
    local left = heard and tonumber(heard) + 4000 - now or 0
    if left > 0 then
      return first[1], tonumber(first[2]), left
    end
    if i == 32 then
      return first[1], tonumber(first[2]), 0
    end
    redis.call('ZREM', line, first[1])
    redis.call('ZREM', beats, first[1])
  end
end
local function serve_waiters(semaphore, line, beats, client, must_queue, available, needs)
  local now, left = now_ms(), false
  if must_queue then
    local time = redis.call('TIME')
    local rank = string.format('%.0f', time[1] * 1000000 + time[2])
    redis.call('ZADD', line, 'NX', rank, client)
    redis.call('PEXPIRE', line, 600000)
    beat(beats, client, now)
  elseif redis.call('ZREM', line, client) == 1 then
    redis.call('ZREM', beats, client)
    left = true
  end
  local first, _, absent_ms = first_in_line(line, beats, now)
  local served, taken = 0, 0
  for i = 1, #needs do
    local need = tonumber(needs[i])
    if first and first ~= client or need > available - taken then
      break
    end
    served, taken = served + 1, taken + need
    if first then
      left = redis.call('ZREM', line, client) == 1
      redis.call('ZREM', beats, client)
      first, _, absent_ms = first_in_line(line, beats, now)
    end
  end
  if taken > 0 then
    redis.call('DECRBY', semaphore, string.format('%.0f', taken))
  end
  return served, taken, first and first ~= client and absent_ms or -1, left
end
local semaphore, requests, number, floor, client = KEYS[1], KEYS[2], ARGV[1], ARGV[2], ARGV[5]
local answer = recall(requests, number)
if answer then
  return answer
end
local available, exists = available_permits(semaphore)
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if available + ARGV[7] > 2147483647 then
  return record(requests, number, floor, string.format('full %.0f', available))
end
if exists or ARGV[8] == '1' then
  redis.call('INCRBY', semaphore, ARGV[7])
  available = available + ARGV[7]
end
local served, taken, retry_ms = 0, 0, -1
if #ARGV > 8 then
  served, taken, retry_ms = serve_waiters(
    semaphore,
    KEYS[3],
    KEYS[4],
    client,
    ARGV[6] == '1',
    available,
    { unpack(ARGV, 9) }
  )
  available = available - taken
end
answer = string.format('%.0f %.0f %.0f %.0f', served, taken, retry_ms, available)
record(requests, number, floor, answer)
tell_available(available, ARGV[3], ARGV[4])
return answer`,
  operands: (keys, args) => [4, keys.semaphore, keys.requests, keys.line, keys.beats, args.number, args.floor, args.publish, args.channel, args.client, args.mustQueue, args.permits, args.mayCreate, ...args.needs],
  decode: text,
};

/** set the permits of a semaphore that has none yet, at most once per request. */
export const semaphoreTrySetPermits: Script<
  { semaphore: string; requests: string },
  { number: number; floor: number; publish: string; channel: string; permits: number; ttlMs: number },
  string
> = {
  name: 'semaphore/try-set-permits',
  sha1: 'f09bd50387774b555936b3014519d862382bf16b',
  source: `-- semaphore/try-set-permits
local function recall(requests, number)
  local seen = redis.call('ZRANGEBYSCORE', requests, number, number)[1]
  if seen then
    return string.sub(seen, #number + 2)
  end
  local floor = redis.call('ZSCORE', requests, 'floor')
  if floor and tonumber(number) < -tonumber(floor) then
    return 'late'
  end
  return nil
end
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
local function available_permits(semaphore)
  local value = redis.call('GET', semaphore)
  if not value then
    return 0, false
  end
  return string.find(value, '^%-?%d+$') and tonumber(value) or nil, true
end
local function tell_available(available, publish, channel)
  if available > 0 then
    redis.call(publish, channel, string.format('%.0f', available))
  end
end
local semaphore, requests, number, floor = KEYS[1], KEYS[2], ARGV[1], ARGV[2]
local answer = recall(requests, number)
if answer then
  return answer
end
local available, exists = available_permits(semaphore)
if not available then
  return redis.error_reply('WRONGTYPE the name is in use by a value that is no count')
end
if exists then
  return record(requests, number, floor, '0')
end
redis.call('SET', semaphore, ARGV[5])
if tonumber(ARGV[6]) > 0 then
  redis.call('PEXPIRE', semaphore, ARGV[6])
end
record(requests, number, floor, '1')
tell_available(tonumber(ARGV[5]), ARGV[3], ARGV[4])
return '1'`,
  operands: (keys, args) => [2, keys.semaphore, keys.requests, args.number, args.floor, args.publish, args.channel, args.permits, args.ttlMs],
  decode: text,
};

/** how long each of many locks that are waited for still has another holder. */
export const waitsProbe: Script<
  { locks: readonly string[] },
  { holders: readonly string[] },
  string
> = {
  name: 'waits/probe',
  sha1: '8662866895c7e30c104f8a536ec72f23a19c0ae4',
  source: `-- waits/probe
local lives = {}
for i = 1, #KEYS do
  local held = redis.pcall('HEXISTS', KEYS[i], ARGV[i])
  lives[i] = held == 0 and string.format('%.0f', redis.call('PTTL', KEYS[i])) or '-2'
end
return table.concat(lives, ' ')`,
  operands: (keys, args) => [keys.locks.length, ...keys.locks, ...args.holders],
  decode: text,
};
