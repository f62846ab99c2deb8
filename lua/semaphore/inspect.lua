-- semaphore/inspect: how many permits a semaphore has left, and whether any were set.
--
-- KEYS[1] semaphore  string   available permits; no TTL unless the caller gave one
-- returns string     available permits, and 1 when the semaphore exists, else 0

-- include lib/stored_count
local stored, wrong = stored_count(KEYS[1])
if wrong then
  return wrong
end
return string.format('%.0f %.0f', stored or 0, stored and 1 or 0)
