-- Serves the waiters of one client that need `needs`: in their order, as many as fit into `available`
-- while no other client stands in front of this one. The caller takes the permits.
--
-- With `must_queue` the client takes a place in the line of all clients, which it keeps until its
-- first waiter is served; without it the client has no place. Returns how many waiters were
-- served, the permits they need, the ms after which the client that stands in front counts as
-- absent (-1: none does), and whether this one has left the line.
-- include lib/now_ms
-- include lib/line_heartbeat
-- include lib/line_first
-- include lib/zadd_for
local function serve_waiters(line, beats, client, must_queue, available, needs)
  local now, left = now_ms(), false
  if must_queue then
    local time = redis.call('TIME')
    local rank = string.format('%.0f', time[1] * 1000000 + time[2])
    zadd_for(line, LINE_TTL_MS, 'NX', rank, client)
    line_heartbeat(beats, client, now)
  elseif redis.call('ZREM', line, client) == 1 then
    redis.call('ZREM', beats, client)
    left = true
  end
  local first, _, absent_ms = line_first(line, beats, now)
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
      first, _, absent_ms = line_first(line, beats, now)
    end
  end
  return served, taken, first and first ~= client and absent_ms or -1, left
end
