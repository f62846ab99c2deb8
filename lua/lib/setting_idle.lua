-- Returns the `idleMs` of what an object declares of a semaphore, nil when it declares none.
local function setting_idle(setting)
  return tonumber(string.match(setting, '^%a+ %d %d+ (%d+)$'))
end
