-- Refuses the permits of a semaphore that does not exist while there is a count under its twin: the
-- same name with braces around it or without them, to which Redisson gives the same permits.
-- Returns nil when nothing is in the way. A name with more than a tag has no twin.
local function permits_twin_refusal(timeouts, twin)
  -- pcall: a value that is no count has nothing to do with permits.
  local count = twin and redis.pcall('GET', twin)
  if type(count) == 'string' and string.find(count, '^%-?%d+$') then
    return redis.error_reply('WRONGTYPE the name shares ' .. timeouts .. ' with ' .. twin)
  end
end
