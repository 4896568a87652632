-- Loaded by Neovim at its start: the command :Postil, and the language server for every file of a git repository.

if vim.g.loaded_postil then
  return
end
vim.g.loaded_postil = true

vim.api.nvim_create_user_command('Postil', function(call)
  require('postil').command(call)
end, {
  nargs = '?',
  range = true,
  desc = 'Comments of postil',
  complete = function(typed)
    return require('postil').complete(typed)
  end,
})

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  group = vim.api.nvim_create_augroup('postil', {}),
  callback = function(event)
    require('postil').attach(event.buf)
  end,
})
