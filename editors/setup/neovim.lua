-- Threads of postil in every file of a git repository. For init.lua; needs Neovim 0.10 or newer.
vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  group = vim.api.nvim_create_augroup('postil-lsp', {}),
  callback = function(event)
    local name = vim.api.nvim_buf_get_name(event.buf)
    local root = vim.bo[event.buf].buftype == '' and name ~= '' and vim.fs.root(event.buf, '.git')
    if root then
      vim.lsp.start({ name = 'postil', cmd = { 'PROGRAM', 'lsp' }, root_dir = root }, { bufnr = event.buf })
    end
  end,
})
-- Text beside the line, which Neovim 0.11 and newer do not show by themselves.
vim.diagnostic.config({ virtual_text = true })
