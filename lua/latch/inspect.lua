-- latch/inspect: the count of a latch, how long it still lives, and what tells it from the next one.
--
-- KEYS[1] latch      string   the count; no TTL unless the caller gave one
-- KEYS[2] opened     string   private: mark of the latch, or of the last zero; lives as the latch
-- returns string     the count, ms left (-1: no limit, -2: none set), server time in ms, and the mark

-- include lib/latch_count
-- include lib/now_ms
-- The time comes first: an instant of the end that is made of it and of what is read later is not
-- too late, so that it is past when the next latch is seen.
local now = now_ms()
local count, wrong = latch_count(KEYS[1])
if wrong then
  return wrong
end
local left_ms = redis.call('PTTL', KEYS[1])
return string.format('%.0f %.0f %.0f %s', count, left_ms, now, redis.call('GET', KEYS[2]) or '')
