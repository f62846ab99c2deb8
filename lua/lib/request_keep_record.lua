-- Keeps the record of a client's requests for 30 minutes from now, and drops the settled ones, so
-- that it holds only requests under way. Copies of a request, and the clean-up that relies on the
-- record, arrive within some 20 minutes, and find it.
-- It comes before the first write to the object: a user who may not write the record is refused
-- here.
-- include lib/zadd_for
local function request_keep_record(requests, low_water)
  -- Requests may run out of order; a low-water mark that went back would let a late copy run again.
  -- It is the negative score of the member 'floor', so that it is no request number.
  if zadd_for(requests, RECORD_MS, 'LT', 'CH', '-' .. low_water, 'floor') == 1 then
    redis.call('ZREMRANGEBYSCORE', requests, '0', '(' .. low_water)
  end
end
