-- Records the answer of a request for its later copies, and returns it. By then request_keep_record() has
-- shown that it can be written.
local function request_record(requests, number, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  return answer
end
