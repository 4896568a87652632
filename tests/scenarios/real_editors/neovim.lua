-- Edits files as a person does, and checks after each step where the threads are: in what the server told, and on the screen.
-- The numbers are those of the thirty edits in lsp/tests/lsp/thirty.rs.

local failures = {}

local function shown()
  local all = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(0)) do
    local said = diagnostic.message:gsub('ann: ', '')
    all[#all + 1] = diagnostic.lnum .. ' ' .. said:gsub('\n', ' & ')
  end
  table.sort(all, function(a, b) return tonumber(a:match('^%d+')) < tonumber(b:match('^%d+')) end)
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
  table.sort(lines)
  return table.concat(lines, ',')
end

local function expect(step, expected)
  local lines = {}
  for line in expected:gmatch('%f[%d](%d+) [%a]') do
    lines[#lines + 1] = line
  end
  lines = table.concat(lines, ',')
  local function is_there()
    return shown() == expected and marked() == lines
  end
  if not vim.wait(20000, is_there, 10) then
    failures[#failures + 1] = ('%s: %q at %s instead of %q at %s'):format(step, shown(), marked(), expected, lines)
  end
end

local function keys(typed)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(typed, true, false, true), 'x', false)
end

local function git(...)
  local ended = vim.system({ 'git', ... }, { text = true }):wait()
  if ended.code ~= 0 then
    failures[#failures + 1] = 'git ' .. table.concat({ ... }, ' ') .. ': ' .. ended.stderr
  end
end

vim.diagnostic.config({ virtual_text = true })
vim.o.expandtab, vim.o.shiftwidth, vim.o.autoread = true, 4, true
vim.cmd.edit('a.txt')
local before = '9 T | 19 U'
expect('opened', before)
-- What is typed, and what is shown when everything is known; an undo shows what was before.
for _, step in ipairs({
  { '1, a line above', 'ggO// new<Esc>', '10 T | 20 U' },
  { '2, two lines above deleted', '3G2dd', '7 T | 17 U' },
  { '3, enter at the beginning', ':set noautoindent<CR>10G0i<CR><Esc>', '10 T | 20 U' },
  -- It takes the spaces away that were before the words.
  { '3, enter with auto-indent', ':set autoindent<CR>10G0i<CR><Esc>', '10 T (shifted 100 %) | 20 U' },
  { '4, enter at the end', '10GA<CR><Esc>', '9 T | 20 U' },
  { '5, a letter', '10G9|ix<Esc>', '9 T (outdated) | 19 U' },
  { '7, indented', '10G>>', '9 T (shifted 100 %) | 19 U' },
  { '8, deleted', '10Gdd', '0 T (orphaned) | 18 U' },
  { '11, moved up', ':10m8<CR>', '8 T | 19 U' },
  { '11, moved down', ':10m11<CR>', '10 T | 19 U' },
  { '12, duplicated', '10Gyyp', '9 T (shifted 80 %) | 20 U' },
  { '14, all replaced', 'ggVGcx<Esc>', '0 T (orphaned) & U (orphaned)' },
  { '16, filtered by a formatter', ':%!sed "s/^/  /"<CR>', '9 T (shifted 100 %) | 19 U (shifted 100 %)' },
  { '17, formatted line by line', ':%s/^/  /<CR>', '9 T (shifted 100 %) | 19 U (shifted 100 %)' },
  { '18, several lines at once', '6G9|<C-v>4jIx<Esc>', '9 T (outdated) | 19 U' },
  { '25, conflict markers', ':call append(10, ["=======", "other", ">>>>>>> topic"]) | call append(9, "<<<<<<< HEAD")<CR>', '10 T | 23 U' },
}) do
  keys(step[2])
  expect(step[1], step[3])
  keys('u')
  expect(step[1] .. ', undone', before)
end
keys('10Gdd')
keys('35Gp')
expect('10, cut and pasted', '18 U | 35 T (shifted 70 %)')
keys('uu')
expect('10, undone', before)
keys('10Gyy14Gp')
keys('10Gdd')
expect('13, copied and deleted', '13 T (shifted 70 %) | 19 U')
keys('uu')
-- A filter that changes nothing moves the marks of Neovim, not the threads.
vim.cmd('silent %!cat')
expect('15, filtered', before)
-- Another program changes the file, under a clean buffer and under a changed one.
vim.cmd('silent write')
local lines = vim.fn.readfile('a.txt')
vim.fn.writefile(vim.list_extend({ 'from elsewhere' }, lines), 'a.txt')
vim.cmd('silent edit!')
expect('20, reloaded', '10 T | 20 U')
keys('ggOunsaved<Esc>')
vim.fn.writefile(lines, 'a.txt')
expect('21, changed below a changed buffer', '11 T | 21 U')
vim.cmd('silent edit!')
expect('21, given up', before)
-- Commits and branches.
git('switch', '-q', '-c', 'other')
vim.fn.writefile(vim.list_extend({ 'other branch' }, lines), 'a.txt')
git('commit', '-q', '-a', '-m', 'other')
vim.cmd('silent edit!')
expect('22, another branch', '10 T | 20 U')
git('switch', '-q', 'main')
vim.cmd('silent edit!')
expect('22, and back', before)
keys('ggOunsaved<Esc>')
git('switch', '-q', 'other')
expect('23, another branch below a changed buffer', '10 T | 20 U')
git('switch', '-q', 'main')
vim.cmd('silent edit!')
expect('23, given up', before)
keys('ggOcommitted<Esc>')
vim.cmd('silent write')
git('commit', '-q', '-a', '-m', 'committed')
expect('24, committed', '10 T | 20 U')
-- A line inside of a range of five.
vim.cmd.edit('b.txt')
expect('another file', '9 R')
keys('12Goinside<Esc>')
expect('19, a line put inside', '9 R (shifted 100 %)')
vim.cmd('silent edit!')
-- Renamed, before git knows the new name.
vim.fn.rename('b.txt', 'c.txt')
vim.cmd('silent bwipeout!')
vim.cmd.edit('c.txt')
expect('26, renamed', '9 R')
-- Cut here, and pasted into a file that is not there yet.
vim.o.hidden = true
keys('8G7dd')
vim.cmd.edit('new.txt')
keys('P')
expect('27, pasted elsewhere', '2 R (shifted 95 %)')
vim.cmd('silent bwipeout!')
vim.cmd('silent edit! c.txt')
expect('27, given up', '9 R')
-- A comment on a line that is not saved, which is saved then.
vim.cmd.edit('n.txt')
keys('2Gounsaved<Esc>')
vim.lsp.get_clients({ name = 'postil' })[1].request('workspace/executeCommand', {
  command = 'postil.comment',
  arguments = {
    {
      uri = vim.uri_from_bufnr(0),
      range = { start = { line = 2, character = 0 }, ['end'] = { line = 2, character = 0 } },
      text = 'V',
    },
  },
})
expect('28, a comment on an unsaved line', '2 V')
vim.cmd('silent write')
keys('ggOabove<Esc>')
expect('28, saved, and a line above', '3 V')
vim.cmd('silent edit!')
expect('28, given up', '2 V')
-- A suggestion of a comment, applied and undone.
vim.cmd.edit('s.txt')
expect('a suggestion', '1 S')
keys('ggOunsaved<Esc>')
expect('a suggestion in a changed buffer', '2 S')
vim.api.nvim_win_set_cursor(0, { 3, 0 })
-- What follows is a step of its own for the undo.
vim.o.undolevels = vim.o.undolevels
vim.lsp.buf.code_action({
  filter = function(action) return vim.startswith(action.title, 'Apply') end,
  apply = true,
})
if not vim.wait(20000, function() return vim.fn.getline(3) == 'TWO' end, 10) then
  failures[#failures + 1] = '29: ' .. vim.inspect(vim.api.nvim_buf_get_lines(0, 0, -1, false))
end
keys('u')
expect('29, undone', '2 S')
vim.cmd('silent edit!')
-- Emoji and combining marks before the words that were commented on, with other line ends.
vim.cmd.edit('e.txt')
expect('30, emoji', '1 E')
local range = vim.tbl_filter(function(one) return one.lnum == 1 end, vim.diagnostic.get(0))[1]
if vim.bo.fileformat ~= 'dos' or range.col ~= 2 or range.end_col ~= #vim.fn.getline(2) then
  failures[#failures + 1] = '30: ' .. vim.inspect(range)
end
keys('ggOzero<Esc>')
expect('30, a line above', '2 E')
vim.cmd('silent edit!')
-- A marker line becomes a comment, and is gone then.
vim.cmd.edit('m.txt')
keys('3GO# postil: who says so?<Esc>')
vim.wait(200, function() return false end, 200)
vim.lsp.buf.code_action({
  filter = function(action) return vim.startswith(action.title, 'Send this line') end,
  apply = true,
})
expect('a marker line', '2 who says so?')
if #vim.api.nvim_buf_get_lines(0, 0, -1, false) ~= 4 then
  failures[#failures + 1] = 'the marker line is still there'
end

if #failures > 0 then
  io.stderr:write(table.concat(failures, '\n') .. '\n')
  vim.cmd('cquit 1')
end
io.stdout:write('all steps are right\n')
vim.cmd('qall!')
