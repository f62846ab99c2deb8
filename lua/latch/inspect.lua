-- latch/inspect: the count of a latch, when it last reached zero, and how long it still lives.
--
-- KEYS[1] latch      string   the count; no TTL unless the caller gave one
-- KEYS[2] opened     string   private: time of the last zero; lives 10 minutes
-- returns string     the count, ms left (-1: no limit, -2: none set), and time of the last zero

-- include lib/latch_count
local count, wrong = latch_count(KEYS[1])
if wrong then
  return wrong
end
local opened = redis.call('GET', KEYS[2]) or ''
return string.format('%.0f %.0f %s', count, redis.call('PTTL', KEYS[1]), opened)
