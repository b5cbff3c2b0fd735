" SPDX-License-Identifier: MIT
" Declarations of trace events, see waymark-trace-events(5):
"	[property ...] name(arguments) ["format"[, "format"]]
if exists('b:current_syntax')
	finish
endif

syntax match traceEventsComment /^\s*#.*$/ contains=traceEventsTodo,traceEventsMeaning,@Spell
syntax keyword traceEventsTodo TODO FIXME XXX contained
" What the event's arguments mean.
syntax match traceEventsMeaning /\%(^\s*#\s*\)\@<=@\%(enum\|flags\|unit\|key\|begin\|step\|end\|hot\|secret\)\>/ contained

" An event may be called as a property is: what has a parenthesis behind it is a name.
syntax match traceEventsProperty /\<\%(disable\|tcg\|vcpu\)\>\ze\s/
syntax match traceEventsName /\<\w\+\ze(/
syntax region traceEventsArguments matchgroup=traceEventsDelimiter start=/(/ end=/)/ oneline
	\ contains=traceEventsType,traceEventsStruct
syntax keyword traceEventsType void bool char short int long signed unsigned const contained
syntax match traceEventsType /\<\w\+_t\>/ contained
syntax match traceEventsType /\<TCGv\%(_\w\+\)\=\>/ contained
syntax keyword traceEventsStruct struct union enum contained

syntax region traceEventsFormat start=/"/ skip=/\\./ end=/"/ oneline
	\ contains=traceEventsEscape,traceEventsHole,traceEventsNoHole,@Spell
syntax match traceEventsEscape /\\\%(\o\{1,3}\|x\x\+\|.\)/ contained
syntax match traceEventsNoHole /%[^"]\=/ contained
syntax match traceEventsHole
	\ /%[-+ #0']*\%(\d\+\|\*\)\=\%(\.\%(\d\+\|\*\)\=\)\=\%(\%(hh\|ll\|[hljzt]\)\=[diouxX]\|l\=[cs]\|[pm]\|"\@=\)/
	\ contained
syntax match traceEventsHole /%%/ contained
syntax match traceEventsMacro /\<PRI[diouxX]\%(8\|16\|32\|64\|MAX\|PTR\)\>/

highlight default link traceEventsComment Comment
highlight default link traceEventsTodo Todo
highlight default link traceEventsMeaning PreProc
highlight default link traceEventsProperty StorageClass
highlight default link traceEventsName Function
highlight default link traceEventsDelimiter Delimiter
highlight default link traceEventsType Type
highlight default link traceEventsStruct Structure
highlight default link traceEventsFormat String
highlight default link traceEventsEscape SpecialChar
highlight default link traceEventsHole Special
highlight default link traceEventsNoHole Error
highlight default link traceEventsMacro Macro

let b:current_syntax = 'trace-events'
