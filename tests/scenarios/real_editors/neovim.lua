-- Edits a file as a person does, and checks after each step where the thread is: in what the server told, and on the screen.

local failures = {}

local function shown()
  local all = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    all[#all + 1] = diagnostic.lnum .. ' ' .. diagnostic.message
  end
  return table.concat(all, ' | ')
end

-- The lines at which Neovim shows text beside the line.
local function marked()
  local lines = {}
  for _, namespace in pairs(vim.diagnostic.get_namespaces()) do
    local marks = namespace.user_data.virt_text_ns
    if marks then
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, marks, 0, -1, {})) do
        lines[#lines + 1] = mark[2]
      end
    end
  end
  return table.concat(lines, ',')
end

local function expect(step, message, line)
  local function is_there()
    return shown() == message and marked() == tostring(line)
  end
  if not vim.wait(30000, is_there, 20) then
    failures[#failures + 1] = ('%s: %q at %s instead of %q at %s'):format(step, shown(), marked(), message, line)
  end
end

local function keys(typed)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(typed, true, false, true), 'x', false)
end

vim.diagnostic.config({ virtual_text = true })
vim.cmd.edit('a.txt')
local before = '9 ann: why ten?'
expect('opened', before, 9)
for _, step in ipairs({
  { 'a line above', 'ggOnew line<Esc>', '10 ann: why ten?', 10 },
  { 'deleted', '10Gdd', '0 ann: why ten? (orphaned)', 0 },
  { 'typed in', '10Gfvix<Esc>', '9 ann: why ten? (outdated)', 9 },
  { 'moved', ':10m30<CR>', '29 ann: why ten? (shifted 70 %)', 29 },
  { 'everything deleted', 'ggdG', '0 ann: why ten? (orphaned)', 0 },
}) do
  keys(step[2])
  expect(step[1], step[3], step[4])
  keys('u')
  expect(step[1] .. ', undone', before, 9)
end
-- A filter that changes nothing moves the marks of Neovim, not the thread.
vim.cmd('silent %!cat')
expect('filtered', before, 9)
-- Another program changes the file.
local lines = vim.fn.readfile('a.txt')
table.insert(lines, 1, 'from elsewhere')
vim.fn.writefile(lines, 'a.txt')
vim.cmd('silent edit!')
expect('reloaded', '10 ann: why ten?', 10)

if #failures > 0 then
  io.stderr:write(table.concat(failures, '\n') .. '\n')
  vim.cmd('cquit 1')
end
io.stdout:write('all steps are right\n')
vim.cmd('qall!')
