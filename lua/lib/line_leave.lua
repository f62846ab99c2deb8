-- Takes the ticket of a holder out of the line of a lock, if it stands there. Where nobody is left, the
-- times of the turns are kept for as long as they matter. That the holder was told of the line is forgotten.
local function line_leave(line, tickets, id)
  -- Asked first: after any write the server would go on without memory.
  if redis.call('HEXISTS', tickets, id) == 1 then
    redis.call('HDEL', tickets, id, 'told')
    redis.call('LREM', line, 1, id)
    if redis.call('EXISTS', line) == 0 then
      redis.call('PEXPIRE', tickets, TURN_TTL_MS)
    end
  end
end
