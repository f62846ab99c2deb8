-- multi-lock/acquire: take several locks in their order, up to the first one that is not free, and a ticket in the
-- line of that one.
--
-- Locks before that one may be held already: each is checked, and gets its new lease in the same step. Locks behind
-- it are not touched. A lock in whose line somebody waits is not free, but for a call that does not wait: as that of
-- a single lock, it takes what nobody has. Running it twice changes nothing but the counters of tokens.
--
-- KEYS[*] of_locks     any      for each lock the lock, the tombstone of this holder id, its line and its
--                               tickets; then for each the token of a fenced lock
-- ARGV[1] holder       string   the holder id that asks
-- ARGV[2] lease_ms     integer  the least lease of each when all are held
-- ARGV[3] part_ms      integer  the least lease of each while some are missing
-- ARGV[4] is_exact     integer  1 if a longer lease is shortened to lease_ms
-- ARGV[5] all          integer  1 to take all or none, and no ticket
-- ARGV[6] window_ms    integer  the lease of a grant that its ticket is told of later
-- ARGV[7] publish      string   PUBLISH or SPUBLISH
-- ARGV[*] terms        string   for each lock the holder id of this client that has it; else whether its client
--                               listens to the channel of the lock (0 or 1), or - if it wants no ticket there
-- returns string     how many of the first locks are held now, the place of the first one that is not free (0
--                    where all are held), and for each of those that are held the token of a fenced one that was
--                    taken, or 0; then, after a line feed, what lock/enter answers to its ticket, if it has one;
--                    "lost" and the place of a lock that is not held by the holder id given for it; "-3" the holder
--                    id has a tombstone; "!", the place of a lock, and the error where its keys hold something else

-- include lib/checked
-- include lib/line_stands_back
-- include lib/lock_admit
-- include lib/lock_enter
-- include lib/lock_write_hold
-- include lib/needs_no_memory
-- include lib/notify_granted
-- include lib/now_ms
-- include lib/own_channel
-- include lib/token_issue
local holder, lease_ms, part_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local size = #ARGV - 7
local is_fenced = #KEYS > 4 * size

-- A holder id, not one of the marks.
local function is_held(i)
  return #ARGV[7 + i] > 1
end

local function keys_of(i)
  return { KEYS[4 * i - 3], KEYS[4 * i - 2], KEYS[4 * i - 1], KEYS[4 * i] }
end

-- Returns what a lock that is not free is waited for: the ms left on the lease of its holder, or an error, and
-- how many holds this holder id has by now, after a copy of this call.
local function admit(lock, tombstone, line, tickets)
  if redis.call('EXISTS', lock, tombstone, line, tickets) == 0 then
    return nil, 0
  end
  local left_ms, held = lock_admit(lock, tombstone, holder, 1)
  if left_ms or held > 0 or ARGV[5] == '1' then
    return left_ms, held
  end
  if redis.call('EXISTS', line) == 1 then
    return 0
  end
  left_ms = line_stands_back(tickets, now_ms())
  return left_ms > 0 and left_ms or nil, 0
end

-- Nobody has any of them, and nobody has waited lately, as in most acquisitions.
local function are_fresh()
  for i = 1, size do
    if is_held(i) then
      return false
    end
  end
  return redis.call('EXISTS', unpack(KEYS, 1, 4 * size)) == 0
end

local counts, upto, busy = {}, size, 0
for i = 1, are_fresh() and 0 or size do
  local keys = keys_of(i)
  local function judge()
    if is_held(i) then
      return redis.call('HEXISTS', keys[1], ARGV[7 + i]) == 0 and 'lost' or nil
    end
    local refusal, held = admit(unpack(keys))
    counts[i] = held
    return refusal
  end
  local refusal = checked(keys, 'hslh', judge)
  if type(refusal) == 'table' then
    local is_foreign = string.find(refusal.err, 'WRONGTYPE', 1, true)
    return is_foreign and '!' .. i .. ' ' .. refusal.err or refusal
  elseif refusal == 'lost' then
    return 'lost ' .. i
  elseif refusal == -3 then
    return '-3'
  elseif refusal then
    upto, busy = i - 1, i
    break
  end
end
local mark = ARGV[7 + busy]
local wants_ticket = busy > 0 and mark ~= '-' and ARGV[5] == '0'
if busy > 0 and ARGV[5] == '1' then
  upto = 0
end
local is_all = upto == size
local new_ms, answer, told = is_all and lease_ms or part_ms, { upto, busy }, {}
local takes = upto > 0 and not is_held(upto)
if wants_ticket or takes and (counts[upto] or 0) == 0 then
  -- As needs_memory, for which a tombstone has the wrong type: the server checks its memory, and nothing changes.
  redis.call('SET', keys_of(1)[2], '1', 'XX', 'KEEPTTL')
elseif takes then
  -- A copy: the locks are taken already.
  needs_no_memory(keys_of(upto)[1])
end
-- All that can fail comes before the first lock is taken: the ticket, and the tokens.
local entered
if wants_ticket then
  local keys, token = keys_of(busy), is_fenced and KEYS[4 * size + busy] or nil
  local function enter()
    local reply, channel, message = lock_enter(keys, token, holder, {
      lease_ms = part_ms,
      window_ms = ARGV[6],
      is_listening = mark,
      tokens = 1,
      publish = ARGV[7],
      replaces = '',
    })
    if message then
      told[1], told[2] = channel, message
    end
    return reply
  end
  entered = checked(keys, 'hslh', enter)
  if type(entered) == 'table' then
    return entered
  end
end
for i = 1, upto do
  -- A copy gets new tokens, as in lock/acquire-fenced.
  local token = is_fenced and not is_held(i) and KEYS[4 * size + i]
  local issued = token and token_issue(token, 1) or '0'
  if type(issued) == 'table' then
    return issued
  end
  answer[#answer + 1] = issued
end
for i = 1, upto do
  local refused = not is_held(i)
    and lock_write_hold(KEYS[4 * i - 3], holder, counts[i] or 0, 1, new_ms)
  if refused then
    return refused
  end
end
local is_exact = is_all and ARGV[4] == '1'
for i = 1, upto do
  local lock = KEYS[4 * i - 3]
  if is_held(i) and (is_exact or redis.call('PTTL', lock) < new_ms) then
    redis.call('PEXPIRE', lock, new_ms)
    -- pcall: the lock is taken already.
    local first = is_exact and redis.pcall('LINDEX', KEYS[4 * i - 1], 0)
    if type(first) == 'string' then
      -- It was told of a longer lease.
      local channel = own_channel(first, lock, ARGV[7])
      told[#told + 1], told[#told + 2] = channel, 'r' .. first .. ' ' .. lock
    end
  end
end
answer = table.concat(answer, ' ')
return notify_granted(entered and answer .. '\n' .. entered or answer, ARGV[7], told)
