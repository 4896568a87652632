" Edits a file with ALE, and checks where the threads are. The numbers are those of the thirty edits in lsp/tests/lsp/thirty.rs.
set nomore hidden shiftwidth=4 expandtab
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

" Takes an action from the menu of ALE.
function! s:Take(data, items) abort
  for [l:kind, l:item] in a:items
    if l:item.title =~# s:title && !s:taken
      let s:taken = 1
      call ale#codefix#ApplyLSPCodeAction(a:data, l:item)
    endif
  endfor
endfunction

" Takes an action, and waits for what it does.
function! s:Choose(title, is_done) abort
  let [s:title, s:taken] = [a:title, 0]
  let l:began = reltime()
  while !eval(a:is_done) && reltimefloat(reltime(l:began)) < 20
    " The server may not have the line yet: then it offers something else.
    if !s:taken
      call ale#codefix#Execute(0, function('s:Take'))
    endif
    sleep 20m
  endwhile
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
  \ ['11, moved down', ":10m11\<CR>", '10 T | 19 U'],
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
" Branches.
silent edit!
call s:Send()
call s:Expect('24, given up', '11 T | 21 U')
call system('git switch -q -c other')
call writefile(['other branch'] + readfile('a.txt'), 'a.txt')
call system('git commit -q -a -m other')
silent edit!
call s:Send()
call s:Expect('22, another branch', '12 T | 22 U')
call feedkeys("ggOunsaved\<Esc>", 'xt')
call system('git switch -q main')
call s:Send()
call s:Expect('23, another branch below a changed buffer', '13 T | 23 U')
silent edit!
call s:Send()
call s:Expect('23, given up', '11 T | 21 U')
edit! b.txt
call s:Expect('another file', '9 R')
call feedkeys("12Goinside\<Esc>", 'xt')
call s:Send()
call s:Expect('19, a line put inside', '9 R (shifted 100 %)')
silent edit!
" Renamed, before git knows the new name.
call rename('b.txt', 'c.txt')
silent bwipeout!
edit c.txt
call s:Send()
call s:Expect('26, renamed', '9 R')
" Cut here, and pasted into a file that is not there yet.
call feedkeys('8G7dd', 'xt')
call s:Send()
edit new.txt
call feedkeys('P', 'xt')
call s:Send()
call s:Expect('27, pasted elsewhere', '2 R (shifted 95 %)')
silent bwipeout!
edit! c.txt
call s:Send()
call s:Expect('27, given up', '9 R')
" A suggestion of a comment, applied and undone.
edit! s.txt
call s:Expect('a suggestion', '1 S')
call feedkeys("ggOunsaved\<Esc>", 'xt')
call s:Send()
call s:Expect('a suggestion in a changed buffer', '2 S')
call cursor(3, 1)
" What follows is a step of its own for the undo.
let &undolevels = &undolevels
let s:seq = undotree().seq_cur
call s:Choose('^Apply', 'getline(3) ==# "TWO"')
execute 'silent undo' s:seq
call s:Send()
call s:Expect('29, undone', '2 S')
if getline(3) !=# 'two'
  call add(s:failures, '29: ' . string(getline(1, '$')))
endif
" Emoji and combining marks, with other line ends.
edit! e.txt
call s:Expect('30, emoji', '1 E')
if &fileformat !=# 'dos' || ale#engine#GetLoclist(bufnr(''))[0].col != 3
  call add(s:failures, '30: ' . string(ale#engine#GetLoclist(bufnr(''))))
endif
call feedkeys("ggOzero\<Esc>", 'xt')
call s:Send()
call s:Expect('30, a line above', '2 E')
edit! m.txt
call feedkeys("3GO# postil: who says so?\<Esc>", 'xt')
call s:Send()
call s:Choose('^Send this line', 'line("$") <= 4')
call s:Send()
call s:Expect('a marker line', '2 who says so?')
" A comment on a line that is not saved, which is saved then.
edit! n.txt
call feedkeys("2Gounsaved\<Esc>O# postil: V\<Esc>", 'xt')
call s:Send()
call s:Choose('^Send this line', 'line("$") <= 5')
call s:Send()
call s:Expect('28, a comment on an unsaved line', '2 V')
silent write
call feedkeys("ggOabove\<Esc>", 'xt')
call s:Send()
call s:Expect('28, saved, and a line above', '3 V')
" Without a screen, Vim prints nothing.
call writefile(empty(s:failures) ? ['all steps are right'] : s:failures, $HOME . '/told')
qall!
