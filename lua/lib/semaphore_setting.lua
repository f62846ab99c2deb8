-- Compares a counting semaphore with the number of permits that a client was told, as permits_setting()
-- does: its total, or what is left where nothing is known of that, as after Java has set it. A
-- total that is compared and is the same has been stated.
-- include lib/permits_setting
local function semaphore_setting(setting, stored, record)
  local total = stored and (record and record.total or stored)
  local made, note = permits_setting(setting, stored, total)
  if setting ~= '' and stored and record and note == '' and not record.is_stated then
    record.is_stated, record.has_changed = true, true
  end
  return made, note
end
