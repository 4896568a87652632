" Edits a file with ALE, and checks where the threads are. The numbers are those of the thirty edits in lsp/tests/lsp/thirty.rs.
set nomore shiftwidth=4 expandtab
let s:failures = []

function! s:Shown() abort
  let l:all = map(copy(ale#engine#GetLoclist(bufnr(''))), {_, one -> (one.lnum - 1) . ' ' . substitute(one.text, 'ann: ', '', '')})
  return join(sort(l:all, {a, b -> str2nr(a) - str2nr(b)}), ' | ')
endfunction

function! s:Expect(step, expected) abort
  let l:began = reltime()
  while s:Shown() !=# a:expected && reltimefloat(reltime(l:began)) < 20
    sleep 20m
  endwhile
  if s:Shown() !=# a:expected
    call add(s:failures, a:step . ': ' . s:Shown() . ' instead of ' . a:expected)
  endif
endfunction

" ALE sends the whole text, when somebody pauses; a script never does.
function! s:Send() abort
  call ale#Queue(0)
endfunction

edit a.txt
call s:Expect('opened', '9 T | 19 U')
for [s:step, s:keys, s:expected] in [
  \ ['1, a line above', "ggO// new\<Esc>", '10 T | 20 U'],
  \ ['2, two lines deleted', '3G2dd', '7 T | 17 U'],
  \ ['3, enter at the beginning', "10G0i\<CR>\<Esc>", '10 T | 20 U'],
  \ ['4, enter at the end', "10GA\<CR>\<Esc>", '9 T | 20 U'],
  \ ['5, a letter', "10G9|ix\<Esc>", '9 T (outdated) | 19 U'],
  \ ['7, indented', '10G>>', '9 T (shifted 100 %) | 19 U'],
  \ ['8, deleted', '10Gdd', '0 T (orphaned) | 18 U'],
  \ ['10, cut and pasted', '10Gdd35Gp', '18 U | 35 T (shifted 70 %)'],
  \ ['11, moved up', ":10m8\<CR>", '8 T | 19 U'],
  \ ['12, duplicated', '10Gyyp', '9 T (shifted 80 %) | 20 U'],
  \ ['13, copied and deleted', "10Gyy14Gp10Gdd", '13 T (shifted 70 %) | 19 U'],
  \ ['14, all replaced', "ggVGcx\<Esc>", '0 T (orphaned) ann: U (orphaned)'],
  \ ['15, filtered', ":%!cat\<CR>", '9 T | 19 U'],
  \ ['16, filtered by a formatter', ":%!sed 's/^/  /'\<CR>", '9 T (shifted 100 %) | 19 U (shifted 100 %)'],
  \ ['17, formatted', ":%s/^/  /\<CR>", '9 T (shifted 100 %) | 19 U (shifted 100 %)'],
  \ ['18, several lines', "6G9|\<C-v>4jIx\<Esc>", '9 T (outdated) | 19 U'],
  \ ['25, conflict markers', "11GO=======\<CR>other\<CR>>>>>>>> topic\<Esc>10GO<<<<<<< HEAD\<Esc>", '10 T | 23 U'],
  \ ]
  let s:seq = undotree().seq_cur
  call feedkeys(s:keys, 'xt')
  call s:Send()
  call s:Expect(s:step, s:expected)
  execute 'silent undo' s:seq
  call s:Send()
  call s:Expect(s:step . ', undone', '9 T | 19 U')
endfor
" Another program changes the file, with and without other text in the buffer.
call writefile(['elsewhere'] + readfile('a.txt'), 'a.txt')
silent edit!
call s:Send()
call s:Expect('20, reloaded', '10 T | 20 U')
call feedkeys("ggOunsaved\<Esc>", 'xt')
call writefile(['once more'] + readfile('a.txt'), 'a.txt')
call s:Send()
call s:Expect('21, changed below a changed buffer', '11 T | 21 U')
silent edit!
call s:Send()
call s:Expect('21, given up', '11 T | 21 U')
call system('git commit -q -a -m committed')
call feedkeys("ggOunsaved\<Esc>", 'xt')
call s:Send()
call s:Expect('24, committed', '12 T | 22 U')
edit! b.txt
call s:Expect('another file', '9 R')
call feedkeys("12Goinside\<Esc>", 'xt')
call s:Send()
call s:Expect('19, a line put inside', '9 R (shifted 100 %)')
edit! m.txt
call feedkeys("3GO# postil: who says so?\<Esc>", 'xt')
call s:Send()
" Takes an action from the menu of ALE.
function! s:Take(data, items) abort
  for [l:kind, l:item] in a:items
    if l:item.title =~# '^Send this line' && !s:taken
      let s:taken = 1
      call ale#codefix#ApplyLSPCodeAction(a:data, l:item)
    endif
  endfor
endfunction
let s:taken = 0
let s:began = reltime()
while line('$') > 4 && reltimefloat(reltime(s:began)) < 20
  " The server may not have the line yet: then it offers something else.
  if !s:taken
    call ale#codefix#Execute(0, function('s:Take'))
  endif
  sleep 20m
endwhile
call s:Send()
call s:Expect('a marker line', '2 who says so?')
" Without a screen, Vim prints nothing.
call writefile(empty(s:failures) ? ['all steps are right'] : s:failures, $HOME . '/told')
qall!
