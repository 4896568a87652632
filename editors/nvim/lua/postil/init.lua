-- Comments of postil in Neovim: the language server does the work, this file has the commands and a split to write in.

local M = {}

-- `vim.g.postil` may have other values for these.
local defaults = {
  program = 'postil', -- How to start postil.
  options = {}, -- `initializationOptions` of the language server.
  virtual_text = true, -- Text beside the line; false, or what `vim.diagnostic.config()` takes.
  signs = true, -- Signs in the column at the left; false, or what `vim.diagnostic.config()` takes.
  height = 12, -- Lines of the split that texts are written in.
}

local function config(name)
  local given = vim.g.postil or {}
  if given[name] ~= nil then
    return given[name]
  end
  return defaults[name]
end

--- Starts the language server for a buffer, if it is a file in a git repository; says whether it is.
function M.attach(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= '' or name == '' then
    return false
  end
  local root = vim.fs.root(buffer, '.git')
  if root then
    vim.lsp.start({
      name = 'postil',
      cmd = { config('program'), 'lsp' },
      root_dir = root,
      init_options = vim.tbl_extend('force', config('options'), { texts = true }),
      handlers = { ['postil/sent'] = M.sent },
      -- Code actions that ask for a text open the same split as the commands.
      commands = { ['postil.comment'] = M.from_action, ['postil.reply'] = M.from_action },
      on_init = function(client)
        vim.diagnostic.config(
          { virtual_text = config('virtual_text'), signs = config('signs') },
          vim.lsp.diagnostic.get_namespace(client.id)
        )
      end,
    }, { bufnr = buffer })
  end
  return root ~= nil
end

local function tell(what, level)
  vim.notify('postil: ' .. what, level or vim.log.levels.INFO)
end

local function client_of(buffer)
  local found = vim.lsp.get_clients({ bufnr = buffer, name = 'postil' })[1]
  if not found and M.attach(buffer) then
    -- It ended, and nobody wanted that: the files that it served do not tell it of their own accord.
    tell('the language server starts again; repeat the command', vim.log.levels.WARN)
  elseif not found then
    tell('this buffer is not in a git repository', vim.log.levels.ERROR)
  end
  return found
end

-- Asks the server; `done` gets why it failed, or nothing, and the answer.
local function ask(buffer, method, params, done)
  local client = client_of(buffer)
  if not client then
    return
  end
  local handler = function(failure, answer)
    done(failure and (failure.message or tostring(failure)) or nil, answer)
  end
  -- Neovim 0.11 made it a method.
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, handler, buffer)
  else
    client.request(method, params, handler, buffer)
  end
end

-- Sends a command to the server.
local function send(buffer, name, argument, done)
  ask(buffer, 'workspace/executeCommand', { command = 'postil.' .. name, arguments = { argument } }, done)
end

-- The same for a command whose failure is shown.
local function execute(buffer, name, argument, done)
  send(buffer, name, argument, function(failure)
    if failure then
      tell(failure, vim.log.levels.ERROR)
    elseif done then
      done()
    end
  end)
end

-- What the diagnostics of a buffer say of its threads, by their ids.
local function messages(buffer)
  local found = {}
  for _, diagnostic in ipairs(vim.diagnostic.get(buffer)) do
    local sent = diagnostic.user_data and diagnostic.user_data.lsp
    for _, id in ipairs(diagnostic.source == 'postil' and sent and sent.data and sent.data.threads or {}) do
      found[id] = diagnostic.message
    end
  end
  return found
end

-- Calls `take` with the thread of the cursor's line, any line of it; asks if there are several. The actions of the server
-- know all lines of a thread, a diagnostic only the first one.
local function with_thread(buffer, take)
  local at = { line = vim.api.nvim_win_get_cursor(0)[1] - 1, character = 0 }
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    range = { start = at, ['end'] = at },
    context = { diagnostics = {} },
  }
  ask(buffer, 'textDocument/codeAction', params, function(failure, actions)
    if failure then
      return tell(failure, vim.log.levels.ERROR)
    end
    local found = {}
    for _, action in ipairs(actions or {}) do
      local command = action.command
      if type(command) == 'table' and command.command == 'postil.reply' then
        found[#found + 1] = command.arguments[1].thread
      end
    end
    if #found == 0 then
      tell('there is no thread on this line', vim.log.levels.WARN)
    elseif #found == 1 then
      take(found[1])
    else
      local said = messages(buffer)
      local show = function(id)
        return id:sub(1, 7) .. '  ' .. (said[id] or '')
      end
      vim.ui.select(found, { prompt = 'Which thread?', format_item = show }, function(id)
        if id then
          take(id)
        end
      end)
    end
  end)
end

-- Asks for a text: the server makes a file, which is sent when it is written. It is an ordinary file of this editor, with a
-- swap file, and the server keeps what is typed: nothing is lost if one of them ends.
local function write_text(buffer, name, argument)
  send(buffer, name, argument, function(failure, answer)
    if failure then
      return tell(failure, vim.log.levels.ERROR)
    end
    vim.cmd(('botright %dsplit %s'):format(config('height'), vim.fn.fnameescape(vim.uri_to_fname(answer.uri))))
    vim.bo.bufhidden = 'wipe'
    vim.api.nvim_win_set_cursor(0, { 1, 0 })
  end)
end

--- A text is stored: its split is not needed any more.
function M.sent(_, sent)
  local text = vim.uri_to_bufnr(sent.uri)
  if vim.api.nvim_buf_is_loaded(text) and not vim.bo[text].modified then
    vim.api.nvim_buf_delete(text, { force = true })
  end
end

--- A code action that asks for a text.
function M.from_action(command, context)
  local name = command.command:gsub('^postil%.', '')
  write_text(context.bufnr, name, command.arguments[1])
end

local commands = {}

function commands.comment(buffer, call)
  local client = client_of(buffer)
  if not client then
    return
  end
  local first, last = vim.api.nvim_win_get_cursor(0)[1], vim.api.nvim_win_get_cursor(0)[1]
  if call.range > 0 then
    first, last = call.line1, call.line2
  end
  local argument = {
    uri = vim.uri_from_bufnr(buffer),
    range = { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } },
  }
  -- The line after the last one does not exist in the server's text if the file does not end with a newline.
  if last >= vim.api.nvim_buf_line_count(buffer) then
    local length = #vim.api.nvim_buf_get_lines(buffer, last - 1, last, false)[1]
    argument.range['end'] = { line = last - 1, character = length }
  end
  write_text(buffer, 'comment', argument)
end

function commands.reply(buffer)
  with_thread(buffer, function(id)
    write_text(buffer, 'reply', { thread = id })
  end)
end

for _, name in ipairs({ 'resolve', 'reopen', 'apply', 'original' }) do
  commands[name] = function(buffer)
    with_thread(buffer, function(id)
      execute(buffer, name, { thread = id })
    end)
  end
end

for _, name in ipairs({ 'next', 'previous' }) do
  commands[name] = function(buffer)
    local line = vim.api.nvim_win_get_cursor(0)[1] - 1
    execute(buffer, name, { uri = vim.uri_from_bufnr(buffer), line = line })
  end
end

function commands.marker(buffer)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  execute(buffer, 'marker', { uri = vim.uri_from_bufnr(buffer), line = line })
end

function commands.publish(buffer)
  execute(buffer, 'publish', { uri = vim.uri_from_bufnr(buffer) }, function()
    tell('published')
  end)
end

-- The one of a thread whose file is gone leads to an empty buffer that shows it.
local function listed(thread)
  return {
    filename = thread.uri and vim.uri_to_fname(thread.uri),
    lnum = (thread.line or 0) + 1,
    col = 1,
    text = (thread.uri and '' or thread.short .. ' ') .. thread.message .. (thread.gone and ', the file is gone' or ''),
    type = 'I',
  }
end

function commands.list(buffer)
  send(buffer, 'list', { uri = vim.uri_from_bufnr(buffer) }, function(failure, answer)
    if failure then
      return tell(failure, vim.log.levels.ERROR)
    end
    local items = vim.tbl_map(listed, answer.threads)
    vim.fn.setqflist({}, ' ', { title = 'postil', items = items })
    if #items == 0 then
      tell('there is no open thread')
    else
      vim.cmd('copen')
    end
  end)
end

--- Runs a command by its name.
function M.command(call)
  local name = call.args == '' and 'list' or call.args
  local run = commands[name]
  if not run then
    return tell('no such command: ' .. name, vim.log.levels.ERROR)
  end
  run(vim.api.nvim_get_current_buf(), call)
end

--- The names of commands that begin like this.
function M.complete(typed)
  local names = vim.tbl_filter(function(name)
    return vim.startswith(name, typed)
  end, vim.tbl_keys(commands))
  table.sort(names)
  return names
end

return M
