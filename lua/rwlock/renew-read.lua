-- rwlock/renew-read: renew many readers at once, each with its hold keys, and say of each whether
-- it still reads.
--
-- KEYS[*] of_claims  any      for each claim the lock, its readers and its hold keys from 1 on
-- ARGV[*] claims     string   for each claim: reader, number of hold keys, lease in ms (0 asks
--                             only)
-- returns string     for each claim, after a space: 1 it reads, and where it is asked only 1::<ms that
--                    its lease has left>; 0 it does not, 2 the lock is held by a writer, 3 the key holds
--                    something else

-- at maxmemory: carried out
-- include lib/ends_left
-- include lib/ends_score
-- include lib/lock_layout
-- include lib/needs_no_memory
-- include lib/now_ms
-- include lib/rw_keep_holds
-- include lib/rw_is_alive
-- include lib/zadd_for
local answers, key, now = {}, 1, now_ms()
for i = 1, #ARGV, 3 do
  local lock, readers, reader = KEYS[key], KEYS[key + 1], ARGV[i]
  local count, lease_ms = tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  -- pcall: a key that was overwritten with another type must not keep the others from their
  -- renewal.
  local held = redis.pcall('HEXISTS', lock, reader)
  if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE', 1, true) then
    return held
  end
  if held == 1 and rw_is_alive(readers, reader, KEYS[key + 2], now) then
    if lease_ms > 0 then
      needs_no_memory(lock)
      rw_keep_holds(KEYS, key + 2, key + 1 + count, lease_ms)
      local left = redis.call('PTTL', lock)
      if left < lease_ms then
        redis.call('PEXPIRE', lock, lease_ms)
      end
      zadd_for(readers, math.max(left, lease_ms), 'GT', ends_score(now, lease_ms), reader)
    end
    local score = lease_ms == 0 and redis.call('ZSCORE', readers, reader)
    local left = score and ends_left(tonumber(score), now)
    answers[#answers + 1] = left and '1::' .. string.format('%.0f', left) or '1'
  else
    local mode = type(held) ~= 'table' and redis.call('HGET', lock, 'mode')
    -- The mode alone is what is left of readers whose fields were erased.
    local is_foreign = type(held) == 'table'
      or not (mode and redis.call('HLEN', lock) == 1)
        and select(2, lock_layout(lock, mode)) ~= nil
    answers[#answers + 1] = is_foreign and '3' or mode == 'write' and '2' or '0'
  end
  key = key + 2 + count
end
return table.concat(answers, ' ')
