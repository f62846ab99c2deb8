-- lock/inspect: who holds a lock, and how long its lease still runs, page by page.
--
-- KEYS[1] lock       hash     holder -> number of holds; its TTL is the lease
-- ARGV[1] cursor     string   0, or what the page before this one ended with
-- returns string     JSON: [cursor of the next page or 0, ms left, holder, holds, holder, ...]

-- include lib/lock_foreign
local wrong = lock_foreign(KEYS[1])
if wrong then
  return wrong
end
-- A lock of ours has one holder. A hash with more fields costs no more than a page at a time.
local page = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', 250)
local answer = { page[1], redis.call('PTTL', KEYS[1]) }
for _, part in ipairs(page[2]) do
  answer[#answer + 1] = part
end
return cjson.encode(answer)
