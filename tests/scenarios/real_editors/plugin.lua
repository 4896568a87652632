-- Comments, replies and resolves with the commands of the plug-in.

local function fail(what)
  io.stderr:write(what .. '\n')
  vim.cmd('cquit 1')
end

local function shown(buffer)
  local all = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(buffer)) do
    all[#all + 1] = diagnostic.lnum .. ' ' .. diagnostic.message
  end
  return table.concat(all, ' | ')
end

local function expect(buffer, expected)
  if not vim.wait(30000, function() return shown(buffer) == expected end, 20) then
    fail(('%q instead of %q'):format(shown(buffer), expected))
  end
end

local function until_split(file)
  if not vim.wait(10000, function() return vim.api.nvim_get_current_buf() ~= file end, 20) then
    fail('there is no split to write in')
  end
end

local function until_closed()
  if not vim.wait(10000, function() return #vim.api.nvim_list_wins() == 1 end, 20) then
    fail('the split is still there')
  end
end

local function write(text)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, '\n'))
  vim.cmd('silent write')
end

vim.cmd.edit('a.txt')
local file = vim.api.nvim_get_current_buf()
expect(file, '9 ann: why ten?')
-- On an unsaved line.
vim.api.nvim_buf_set_lines(file, 0, 0, false, { 'unsaved' })
expect(file, '10 ann: why ten?')
vim.api.nvim_win_set_cursor(0, { 1, 0 })
vim.cmd('Postil comment')
until_split(file)
write('from the split\nsecond line')
expect(file, '0 ann: from the split | 10 ann: why ten?')
until_closed()
-- What is not written is not sent.
vim.cmd('Postil comment')
until_split(file)
vim.api.nvim_buf_set_lines(0, 0, 0, false, { 'no, not that' })
vim.cmd('quit!')
until_closed()
vim.api.nvim_win_set_cursor(0, { 11, 0 })
-- The action of the menu opens the same split as the command.
vim.lsp.buf.code_action({
  filter = function(action) return vim.startswith(action.title, 'Reply') end,
  apply = true,
})
until_split(file)
write('because')
until_closed()
expect(file, '0 ann: from the split | 10 ann: why ten? (+1)')
vim.api.nvim_win_set_cursor(0, { 1, 0 })
vim.cmd('Postil resolve')
expect(file, '10 ann: why ten? (+1)')
vim.cmd('Postil next')
if not vim.wait(10000, function() return vim.api.nvim_win_get_cursor(0)[1] == 11 end, 20) then
  fail('the cursor is in line ' .. vim.api.nvim_win_get_cursor(0)[1])
end
-- All threads of the repository, also the one whose file is gone.
vim.cmd('Postil list')
if not vim.wait(10000, function() return #vim.fn.getqflist() > 0 end, 20) then
  fail('there is no list')
end
local listed = vim.tbl_map(function(one)
  return ('%s:%d: %s'):format(vim.fn.fnamemodify(vim.fn.bufname(one.bufnr), ':t'), one.lnum, one.text)
end, vim.fn.getqflist())
local all = { 'a.txt:11: ann: why ten? (+1)', 'gone.txt:1: ann: what was this? (orphaned), the file is gone' }
if not vim.deep_equal(listed, all) then
  fail('the quickfix list is ' .. vim.inspect(listed))
end
vim.cmd('cclose')
vim.cmd('cc 2')
expect(vim.api.nvim_get_current_buf(), '0 ann: what was this? (orphaned)')
vim.cmd('Postil original')
if not vim.wait(10000, function() return vim.fn.getline(1) == 'the only line' end, 20) then
  fail('the original lines are ' .. vim.inspect(vim.api.nvim_buf_get_lines(0, 0, -1, false)))
end
vim.cmd.edit('a.txt')
-- Any line of a thread will do.
vim.cmd('3,5Postil comment')
until_split(file)
write('three lines')
until_closed()
expect(file, '2 ann: three lines | 10 ann: why ten? (+1)')
vim.api.nvim_win_set_cursor(0, { 4, 0 })
vim.cmd('Postil resolve')
expect(file, '10 ann: why ten? (+1)')
-- The server ended by itself: a command starts it again.
vim.fn.system({ 'pkill', '-9', '-P', tostring(vim.fn.getpid()), '-f', 'postil lsp' })
if not vim.wait(10000, function() return #vim.lsp.get_clients({ name = 'postil' }) == 0 end, 20) then
  fail('the server is still there')
end
vim.cmd('Postil resolve')
expect(file, '10 ann: why ten? (+1)')
vim.cmd('Postil next')
if not vim.wait(10000, function() return vim.api.nvim_win_get_cursor(0)[1] == 11 end, 20) then
  fail('the server that started again does nothing')
end
vim.cmd('checkhealth postil')
local health = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
if health:find('ERROR') or not health:find('the language server runs') then
  fail(health)
end
io.stdout:write('all commands work\n')
vim.cmd('qall!')
