-- lock/renew: renew many leases at once, and say of each whether it is still held.
--
-- KEYS[*] locks      hash     holder -> number of holds; its TTL is the lease
-- ARGV[*] claims     string   for each lock its holder and the lease in ms, 0 to ask only
-- returns string     one digit for each lock: 1 held by the holder, 0 gone, 2 held by another, 3 the key
--                    holds something else

-- at maxmemory: carried out
-- include lib/lock_layout
local answers = {}
for i = 1, #KEYS do
  local lock, holder, lease_ms = KEYS[i], ARGV[2 * i - 1], tonumber(ARGV[2 * i])
  -- pcall: a key that was overwritten with another type must not keep the others from their
  -- renewal.
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
    local is_foreign = type(held) == 'table'
      or select(2, lock_layout(lock, redis.call('HGET', lock, 'mode'))) ~= nil
    answers[i] = is_foreign and '3' or redis.call('EXISTS', lock) == 1 and '2' or '0'
  end
end
return table.concat(answers)
