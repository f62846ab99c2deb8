-- lock/renew: renew many leases at once, and say of each whether it is still held.
--
-- KEYS[*] locks      hash     holder -> number of holds; its TTL is the lease
-- ARGV[*] claims     string   for each lock its holder and the lease in ms, 0 to ask only
-- returns string     for each lock, after a space: 1 held by the holder, and where it is asked only
--                    1::<ms that its lease has left>; 0 gone, 2 held by another, 3 the key holds something
--                    else

-- at maxmemory: carried out
-- include lib/lock_gone
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
    local left = redis.call('PTTL', lock)
    if lease_ms > 0 then
      -- Written also where it changes nothing: WAIT proves what its connection has written before.
      redis.call('PEXPIRE', lock, math.max(left, lease_ms))
    end
    answers[i] = lease_ms == 0 and left >= 0 and '1::' .. left or '1'
  else
    answers[i] = lock_gone(lock, held)
  end
end
return table.concat(answers, ' ')
