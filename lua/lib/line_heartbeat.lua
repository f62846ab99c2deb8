-- Notes a sign of life of `member`, which stands in some line.
-- include lib/zadd_for
local function line_heartbeat(beats, member, now)
  zadd_for(beats, LINE_TTL_MS, now, member)
end
