" SPDX-License-Identifier: MIT
" How declarations of trace events are edited: a comment is a line, an event is a line.
if exists('b:did_ftplugin')
	finish
endif
let b:did_ftplugin = 1

setlocal comments=:# commentstring=#\ %s textwidth=0
let b:undo_ftplugin = 'setlocal comments< commentstring< textwidth<'
