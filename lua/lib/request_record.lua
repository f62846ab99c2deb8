-- Records the answer of a request for its later copies, and returns it. request_keep_record() has
-- shown before that it can be written.
local function request_record(requests, number, answer)
  redis.call('ZADD', requests, number, number .. ':' .. answer)
  return answer
end
