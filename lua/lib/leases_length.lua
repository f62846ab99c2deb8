-- Returns how long the lease of a permit is, to a second, by its score in the record of our leases; nothing
-- when the permit does not end when we wrote that it does.
local function leases_length(score, expiry)
  local length_ms = expiry - math.floor(score / LEASE_END_MS) * 1000
  if score % LEASE_END_MS == expiry % LEASE_END_MS and length_ms > 0 then
    return length_ms
  end
end
