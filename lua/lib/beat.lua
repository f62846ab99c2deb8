-- Notes a sign of life of `member`, which stands in some line.
local function beat(beats, member, now)
  redis.call('ZADD', beats, now, member)
  redis.call('PEXPIRE', beats, 600000)
end
