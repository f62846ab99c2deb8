-- quorum/raise-tokens: raise the counters of fenced locks to the tokens of their holder, where that still holds them.
--
-- A later grant of one of them here reads what is written, as this holder held it when that was written. No counter is
-- lowered.
--
-- KEYS[*] locks      any      for each lock the lock, and its token
-- ARGV[1] holder     string   the holder id that must hold all of them
-- ARGV[*] tokens     string   for each lock the token
-- returns integer    1 when all were raised, 0 when one of the locks is not held by it: nothing is changed then

local holder = ARGV[1]
for i = 1, #KEYS, 2 do
  if redis.call('HEXISTS', KEYS[i], holder) == 0 then
    return 0
  end
end
for i = 2, #KEYS, 2 do
  local token = ARGV[1 + i / 2]
  local counter = redis.call('GET', KEYS[i]) or '0'
  -- By length first: a Lua number is exact only to 2^53.
  local is_larger = #token > #counter or #token == #counter and token > counter
  if is_larger then
    redis.call('SET', KEYS[i], token)
  end
end
return 1
