-- Compares a counting semaphore with the number of permits that a client was told, as permits_setting()
-- does: its total, or what is left where nothing is known of that, as after Java has set it. A
-- total that is the same has been stated.
-- include lib/permits_setting
local function semaphore_setting(setting, stored, record, is_deleted)
  local total = stored and (record and record.total or stored)
  if
    stored
    and record
    and not record.is_stated
    and total == tonumber(string.match(setting, '%d+$'))
  then
    record.is_stated, record.has_changed = true, true
  end
  return permits_setting(setting, stored, total, is_deleted)
end
