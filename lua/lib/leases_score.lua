-- Returns the score of a permit in the record of our leases: the second in which its lease is written, and
-- behind that its end modulo LEASE_END_MS. So a lease that was written in the future, since the clock was set
-- back, is found by its score, and Java may change the end: then it is not the one that we wrote any more.
local function leases_score(now, expiry)
  return string.format('%.0f', math.floor(now / 1000) * LEASE_END_MS + expiry % LEASE_END_MS)
end
