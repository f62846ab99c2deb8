-- expirable-semaphore/renew: renew the leases of many permits at once, and say of each whether it is held.
--
-- No permit outlives its semaphore: where that has a TTL, the reply says how long it still lives.
--
-- KEYS[*] keys       any      for each permit its semaphore, the zset of its timeouts and that of our leases
-- ARGV[*] claims     bytes    for each permit its id and the lease in ms, 0 to ask only
-- returns string     for each permit, after a space: 1 held, or 1:<ms that its semaphore lives>, and
--                    where it is asked only :<ms until it expires>, with an empty life of a
--                    semaphore without limit; 0 expired or gone; 3 the key holds something else

-- at maxmemory: carried out
-- include lib/now_ms
-- include lib/leases_length
-- include lib/leases_idle
-- include lib/leases_ttl
-- include lib/leases_write
-- include lib/leases_set_total
-- include lib/permits_used
local now = now_ms()
local answers = {}
for i = 1, #ARGV do
  local semaphore, timeouts, leases = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local permit, lease_ms = string.sub(ARGV[i], 1, 16), tonumber(string.sub(ARGV[i], 17))
  -- pcall: a key that was overwritten with another type must not keep the others from their
  -- renewal.
  local expiry = redis.pcall('ZSCORE', timeouts, permit)
  local left = redis.pcall('GET', semaphore)
  local score = redis.pcall('ZSCORE', leases, permit)
  local ttl = redis.call('PTTL', semaphore)
  local refused = type(expiry) == 'table' and expiry
    or type(left) == 'table' and left
    or type(score) == 'table' and score
  if refused and not string.find(refused.err, 'WRONGTYPE', 1, true) then
    return refused
  elseif refused or left and not string.find(left, '^%-?%d+$') then
    answers[i] = '3'
  elseif not expiry or tonumber(expiry) <= now or ttl == -2 then
    answers[i] = '0'
  else
    local idle_ms = ttl >= 0 and leases_idle(leases)
    if idle_ms then
      -- The semaphore ends after the last lease.
      ttl = -1
    elseif ttl > 0 then
      redis.call('PEXPIRE', timeouts, ttl)
    end
    local end_ms = tonumber(expiry)
    local length_ms = score and leases_length(tonumber(score), end_ms)
    -- Others may bring an end that is too far ahead down to the length of the lease.
    local left_ms = math.min(end_ms - now, length_ms or math.huge)
    if lease_ms > left_ms then
      leases_write(timeouts, leases, permit, now, lease_ms, ttl)
    elseif lease_ms > 0 and redis.call('PEXPIRE', leases, leases_ttl(ttl)) == 0 then
      -- Written also where it changes nothing, as in lock/renew; and Java has deleted the record.
      leases_write(timeouts, leases, permit, now, left_ms, ttl)
    end
    if not score and lease_ms > 0 and not redis.call('ZSCORE', leases, 'total') then
      -- The record was evicted, and the number of permits with it.
      leases_set_total(leases, left + redis.call('ZCARD', timeouts), ttl)
    end
    if idle_ms and lease_ms > 0 then
      permits_used(semaphore, timeouts, leases, idle_ms, now)
    end
    local life = ttl < 0 and '' or string.format('%.0f', ttl)
    if lease_ms == 0 then
      answers[i] = '1:' .. life .. ':' .. string.format('%.0f', left_ms)
    else
      answers[i] = ttl < 0 and '1' or '1:' .. life
    end
  end
end
return table.concat(answers, ' ')
