-- Returns how long the lease of a permit is, to a second, by its score in the record of our leases; nothing
-- when the end of the permit is not the one that we wrote.
local function leases_length(score, expiry)
  if score % LEASE_END_MS == expiry % LEASE_END_MS then
    return expiry - math.floor(score / LEASE_END_MS) * 1000
  end
end
