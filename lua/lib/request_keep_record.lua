-- Keeps the record of a client's requests for 30 minutes from now, and forgets the settled ones: the
-- record holds only what is still under way. Copies, and clean-up that relies on it, are sent for some
-- 20 minutes at most, and find it. This comes before the first write to the object: what request_record() needs is refused here.
-- include lib/zadd_for
local function request_keep_record(requests, floor)
  -- Requests may run out of order; a floor that went back would let a late copy run again. It is
  -- kept as a negative score, out of the way of the numbers.
  if zadd_for(requests, RECORD_MS, 'LT', 'CH', '-' .. floor, 'floor') == 1 then
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. floor)
  end
end
