" Threads of postil in every file of a git repository. For vimrc; needs Vim 8.2 or newer and the plug-in ALE (dense-analysis/ale).
function! s:PostilRoot(buffer) abort
  let l:folder = fnamemodify(bufname(a:buffer), ':p:h')
  " In a linked work tree, .git is a file.
  let l:git = finddir('.git', escape(l:folder, ' ,;') . ';')
  let l:git = empty(l:git) ? findfile('.git', escape(l:folder, ' ,;') . ';') : l:git
  return empty(l:git) ? '' : fnamemodify(l:git, ':p:s?/$??:h')
endfunction
function! s:PostilIn(filetype) abort
  if empty(a:filetype) || get(s:postil_types, a:filetype)
    return
  endif
  let s:postil_types[a:filetype] = 1
  try
    let l:others = map(copy(ale#linter#Get(a:filetype)), 'v:val.name')
    call ale#linter#Define(a:filetype, {
    \ 'name': 'postil',
    \ 'lsp': 'stdio',
    \ 'executable': 'PROGRAM',
    \ 'command': '%e lsp',
    \ 'project_root': function('s:PostilRoot'),
    \ })
    " For some languages, ALE uses only the linters that are listed.
    if empty(filter(copy(ale#linter#Get(a:filetype)), 'v:val.name is# "postil"'))
      let g:ale_linters = get(g:, 'ale_linters', {})
      let g:ale_linters[a:filetype] = l:others + ['postil']
    endif
  catch /E117/
    " ALE is not there.
  endtry
endfunction
let s:postil_types = {}
augroup postil
  autocmd!
  autocmd FileType * call s:PostilIn(expand('<amatch>'))
augroup END
