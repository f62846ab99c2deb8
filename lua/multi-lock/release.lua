-- multi-lock/release: state for several locks how many of a holder's holds are still alive: lock/release for
-- each of them, with one message to each who is to be notified.
--
-- KEYS[*] of_locks     any      for each lock the lock, the tombstone of its holder id, its line and its
--                               tickets; then for each the token of a fenced lock
-- ARGV[1] publish      string   PUBLISH or SPUBLISH
-- ARGV[*] terms        string   for each lock the holder id that releases, its holds that are still alive, the
--                               life of the tombstone in ms (0 sets none), the channel where waiters of the
--                               lock listen, and how many connections of its client listen to it (-1 if the
--                               client does not stand back for those who stand in no line)
-- returns string     for each lock, after a line feed, what lock/release returns, or "!" and the error

-- at maxmemory: carried out
-- include lib/checked
-- include lib/listeners
-- include lib/lock_release
-- include lib/notify_granted
local publish, size = ARGV[1], (#ARGV - 1) / 5
local results, told = {}, {}

-- Releases one of them. Returns its result, or an error.
local function release_one(i)
  local key, term = 4 * i - 3, 5 * i - 3
  local keys = { KEYS[key], KEYS[key + 1], KEYS[key + 2], KEYS[key + 3] }
  local token = KEYS[4 * size + i]
  local function release()
    local result, to, message = lock_release(
      keys,
      token,
      ARGV[term],
      tonumber(ARGV[term + 1]),
      tonumber(ARGV[term + 2]),
      publish,
      ARGV[term + 3],
      ARGV[term + 4]
    )
    if message then
      told[#told + 1], told[#told + 2] = to, message
    end
    return result
  end
  return checked(keys, 'hslh', release)
end

-- Whether nothing is left of any hold, and nobody waits, as in most releases.
local function are_quiet()
  local lines, channels, stands_back = {}, {}, false
  for i = 1, size do
    local term = 5 * i - 3
    if ARGV[term + 1] ~= '0' or ARGV[term + 2] ~= '0' then
      return false
    end
    lines[i], channels[i] = KEYS[4 * i - 1], ARGV[term + 3]
    stands_back = ARGV[term + 4] ~= '-1'
  end
  if redis.call('EXISTS', unpack(lines)) > 0 then
    return false
  end
  -- Those who stand in no line: see line_turn. A user who may not ask does not stand back for them.
  local answer = stands_back and listeners(publish, unpack(channels)) or {}
  for i = 1, size do
    local term = 5 * i - 3
    if (answer[2 * i] or 0) > math.max(0, ARGV[term + 4]) then
      return false
    end
  end
  return true
end

-- With few commands, what lock_release does with a hold that is the only one of a quiet lock. False where it is not:
-- then that has to look at it.
local function is_freed(i)
  local lock, term = KEYS[4 * i - 3], 5 * i - 3
  if redis.pcall('HLEN', lock) ~= 1 or redis.pcall('HDEL', lock, ARGV[term]) ~= 1 then
    return false
  end
  told[#told + 1], told[#told + 2] = ARGV[term + 3], '0'
  return true
end

local are_all_quiet = are_quiet()
for i = 1, size do
  local result = are_all_quiet and is_freed(i) and 1 or release_one(i)
  if type(result) == 'table' then
    -- A lock that was overwritten with another type must not keep the others from their release.
    if i == 1 and not string.find(result.err, 'WRONGTYPE', 1, true) then
      return result
    end
    result = '!' .. string.gsub(result.err, '\n', ' ')
  end
  results[i] = result
end
return notify_granted(table.concat(results, '\n'), publish, told)
