-- Returns the number of permits of a counting semaphore, available or not; nil when it is not known.
-- Redis stores what is available only, so our own calls keep the total beside it: with the mark of
-- its semaphore, and with the number that is left if nobody else takes or returns permits. Where
-- that number or the mark is another one, the semaphore may have been made anew by a program that
-- knows nothing of totals, as Java's.
local function semaphore_total(totals, mark, available)
  local known = redis.call('ZMSCORE', totals, 'mark', 'total', 'left')
  local is_its = known[1] and tonumber(known[1]) == tonumber(mark)
  return is_its and tonumber(known[3]) == available and tonumber(known[2]) or nil
end
