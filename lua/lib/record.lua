-- Records the answer of a request for its later copies, forgets the settled ones, and returns it.
-- The record holds only what is still under way. It lives 30 minutes from its last request: copies
-- and clean-up are sent for 10 minutes, and must find it.
local function record(requests, number, floor, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  -- Requests may run out of order; a floor that went back would let a late copy run again.
  local known = redis.call('ZSCORE', requests, 'floor')
  if not known or -tonumber(known) < tonumber(floor) then
    redis.call('ZADD', requests, '-' .. floor, 'floor')
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
  redis.call('PEXPIRE', requests, 1800000)
  return answer
end
