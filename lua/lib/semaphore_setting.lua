-- Compares a counting semaphore with the number of permits that an object declares, as permits_setting() does:
-- its total, or what is left where nothing is known of that, as after Java has set it. A
-- total that is the same has been stated. The `idleMs` that was stated last counts, but for a semaphore that has a
-- `ttlMs`, or of which nothing is known. Returns by how much to change the permits (nil: not at all), and the total
-- after that.
-- include lib/permits_setting
-- include lib/setting_idle
local function semaphore_setting(setting, stored, record, is_deleted)
  local total = stored and (record and record.total or stored)
  if
    stored
    and record
    and not record.is_stated
    and total == tonumber(string.match(setting, '^%a+ %d (%d+)'))
  then
    record.is_stated, record.has_changed = true, true
  end
  local idle_ms = stored and record and not record.has_limit and setting_idle(setting)
  if idle_ms and idle_ms ~= record.idle_ms then
    record.idle_ms, record.has_changed = idle_ms, true
  end
  return permits_setting(setting, stored, total, is_deleted)
end
