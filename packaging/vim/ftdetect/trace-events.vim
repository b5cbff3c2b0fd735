" SPDX-License-Identifier: MIT
" Declarations of trace events are called trace-events, all of a program's trace-events-all.
autocmd BufNewFile,BufRead trace-events,trace-events-all,*.trace-events setfiletype trace-events
