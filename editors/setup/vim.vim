" Threads of postil in every file. For vimrc; needs the plug-in vim-lsp (prabirshrestha/vim-lsp).
augroup postil
  autocmd!
  autocmd User lsp_setup call lsp#register_server({
    \ 'name': 'postil',
    \ 'cmd': {server_info -> ['PROGRAM', 'lsp']},
    \ 'allowlist': ['*'],
    \ })
augroup END
