-- :checkhealth postil

local M = {}

function M.check()
  local health = vim.health
  health.start('postil')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim is new enough')
  else
    health.error('Neovim 0.10 or newer is needed')
  end
  local program = (vim.g.postil or {}).program or 'postil'
  if vim.fn.executable(program) == 1 then
    local said = vim.system({ program, '--version' }, { text = true }):wait()
    health.ok(vim.trim(said.stdout or ''))
  else
    health.error(('`%s` was not found'):format(program), {
      'Install postil so that it is on the PATH of Neovim.',
      "Or say where it is: vim.g.postil = { program = '/path/to/postil' }",
    })
  end
  if vim.fn.executable('git') == 1 then
    health.ok('git was found')
  else
    health.error('`git` was not found')
  end
  local clients = vim.lsp.get_clients({ name = 'postil' })
  if #clients > 0 then
    health.ok(('the language server runs for %s'):format(clients[1].config.root_dir or 'a folder'))
  else
    health.info('the language server does not run: open a file in a git repository')
  end
end

return M
