-- Serves the waiters of one client, each of which needs so many permits as `needs` says: in their
-- order, as many as fit into `available`, while no other client is before this one in the wait
-- queue. The caller takes the permits.
--
-- With `must_queue` the client gets an entry in the wait queue of all clients, which it keeps until
-- its first waiter is served; without it the client has none. Returns how many waiters were served,
-- how many permits they need, the ms after which the client before this one counts as absent (-1:
-- there is none), and whether this client has left the wait queue.
-- include lib/now_ms
-- include lib/queue_heartbeat
-- include lib/queue_first
-- include lib/rank_new
-- include lib/zadd_for
local function serve_waiters(queue, heartbeats, client, must_queue, available, needs)
  local now, has_left, first, absent_ms, _ = nil, false, nil, nil, nil
  if must_queue or redis.call('EXISTS', queue) == 1 then
    now = now_ms()
    if must_queue then
      -- These fail where the keys hold something else, before anything is written.
      redis.call('ZCARD', heartbeats)
      local time = redis.call('TIME')
      local rank = rank_new(time[1] * 1000000 + time[2], queue)
      zadd_for(queue, QUEUE_TTL_MS, 'NX', string.format('%.0f', rank), client)
      queue_heartbeat(heartbeats, client, now)
    elseif redis.call('ZREM', queue, client) == 1 then
      redis.call('ZREM', heartbeats, client)
      has_left = true
    end
    first, _, absent_ms = queue_first(queue, heartbeats, now)
  end
  local served, taken = 0, 0
  for i = 1, #needs do
    local need = tonumber(needs[i])
    if first and first ~= client or need > available - taken then
      break
    end
    served, taken = served + 1, taken + need
    if first then
      has_left = redis.call('ZREM', queue, client) == 1
      redis.call('ZREM', heartbeats, client)
      first, _, absent_ms = queue_first(queue, heartbeats, now)
    end
  end
  return served, taken, first and first ~= client and absent_ms or -1, has_left
end
