-- Judges a statement of a number with `set`, and keeps it alive. The record has, for each number that was stated in
-- the last day, when that was done first, and when a client of it was last heard of. An older statement does not
-- replace a newer one; one that nobody has kept alive for five minutes gives way. A statement that is made again (2)
-- and is not known any more is older than all others, and is not recorded beside one that stands. A client that only keeps its statement alive (3) changes
-- nothing, and states it again where a newer one is to give way. `total` is that of the semaphore, nil where there is
-- none.
-- Returns the number to set, nil for none, and where a newer statement stands the ms until that would give way (0: it
-- does so now), else -1.
-- include lib/statements_read
-- include lib/statement_since
local function permits_statement(key, setting, total, now)
  local statement, count = string.match(setting, '^%a+ (%d) (%d+)')
  local known, old = statements_read(key, now)
  local is_known = statement == '1' or statement == '4'
  local first = is_known and statement_since(known, count, now) or 0
  for _, each in ipairs(known) do
    if each.count == count then
      is_known, first = true, each.since
    end
  end
  local only_keeps, is_set = statement == '3' and total, total == tonumber(count)
  if only_keeps and #known == 0 and not is_set then
    return nil, -1
  end
  local newest, gone, kept = nil, {}, {}
  for _, each in ipairs(known) do
    local is_newer = each.count ~= count and each.since >= first
    each.left = each.kept + KEPT_ALIVE_MS - now
    if is_newer and each.left > 0 and not (newest and newest.since > each.since) then
      newest = each
    elseif is_newer and each.left <= 0 then
      gone[#gone + 1] = each.count
    end
    if each.is_ahead and each.count ~= count then
      kept[#kept + 1] = each.count
      kept[#kept + 1] = string.format('%.0f %.0f', each.since, now)
    end
  end
  if is_known or not newest then
    kept[#kept + 1] = count
    kept[#kept + 1] = string.format('%.0f %.0f', first, now)
  end
  -- First, so that a user who may not set a TTL leaves nothing without one.
  redis.call('PEXPIRE', key, STATED_TTL_MS)
  if #kept > 0 then
    redis.call('HSET', key, unpack(kept))
  end
  redis.call('PEXPIRE', key, STATED_TTL_MS)
  if only_keeps then
    local left_ms = newest and newest.left or #gone > 0 and 0 or -1
    return nil, is_set and -1 or left_ms
  elseif newest then
    return not total and tonumber(newest.count) or nil, newest.left
  end
  for _, each in ipairs(old) do
    if each ~= count then
      gone[#gone + 1] = each
    end
  end
  if #gone > 0 then
    redis.call('HDEL', key, unpack(gone))
  end
  return tonumber(count), -1
end
