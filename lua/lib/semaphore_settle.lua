-- Accounts for permits that came back without a grant, by a release of Java or one without proof: what is
-- left and what is out may not be more than the total. They belong to grants whose own release is
-- still to come, as long as there are any. What is more raises a total that nobody has stated, and is too
-- much for one that was stated. Returns how many permits are left, and how many there were
-- when they were too many, else 0.
local function semaphore_settle(record, left)
  if record.loose > record.sum then
    record.loose, record.has_changed = record.sum, true
  end
  local over = left + record.sum - record.loose - record.total
  if over <= 0 then
    return left, 0
  end
  record.has_changed = true
  local absorbed = math.min(over, record.sum - record.loose)
  record.loose = record.loose + absorbed
  over = over - absorbed
  if over > 0 and record.is_stated then
    return left - over, left
  end
  record.total = record.total + over
  return left, 0
end
