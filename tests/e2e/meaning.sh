#!/bin/bash
# SPDX-License-Identifier: MIT
# Declared names of values are in traces and in what commands print: meaning.sh PROGRAM WAYMARK EVENTS TOML
set -u
program=$(realpath "$1") waymark=$(realpath "$2") events=$(realpath "$3") toml=$(realpath "$4")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_RUNTIME_DIR=$work
failed=0

fail()
{
	echo "FAILED: $*"
	failed=1
}

# messages TRACE [OPTION...]: the events without time and process
messages()
{
	"$waymark" print "${@:2}" "$1" 2>notes | cut -d' ' -f3-
}

same() # WHAT
{
	diff wanted got || fail "$1"
}

WAYMARK_TRACE='*,backend=ctf,file=t.ctf' "$program" || fail "the program"
cat >wanted <<'END'
submit request 0 op read mode 0 bytes 4 KiB
complete request 0 ret ok
submit request 1 op write mode 0x4 bytes 8 KiB
complete request 1 ret io_error
submit request 2 op 2 mode direct bytes 16 KiB
complete request 2 ret ok
submit request 3 op flush mode direct|0x4 bytes 32 KiB
complete request 3 ret io_error
adjust level=none now=1
adjust level=low now=0
plain op 1
wide op fail bits ab
wide op -2 bits a|c|0xfa
wide op most bits a|c
hex 0xff
hex hexed
state vm 7 is paused, flags dirty|shadow
END
messages t.ctf --event=-change* >got
same "names are printed"
messages t.ctf --event=change | grep -q '^change to running scope=' || fail "a scope has names"

"$waymark" print --json t.ctf | grep -q '"event":"submit","args":{"request":1,"op":1,' ||
	fail "JSON has numbers"

where() # EXPRESSION COUNT
{
	count=$("$waymark" print --count --where="$1" t.ctf)
	[ "$count" = "$2" ] || fail "--where='$1': $count, not $2"
}
where 'op == write' 1
where 'op == "write" || op == flush' 2
where 'op =~ "*r*"' 2
where 'op != write' 3
where 'mode & direct' 2
where 'bytes >= 8K' 3
where 'bytes > 8K && op == flush' 1
where 'ret == io_error' 2
where 'ret < ok' 2
where 'level == none' 1
where 'op == fail || op == one' 1
where 'op != write && @event == "wide"' 0
where 'bytes > -1K && op == write' 1
where 'bytes > 2 * 4K + 0' 2
where 'bytes / 2 > 4K' 2
where 'state == paused' 1
where 'state == running && @event == "change"' 1

# wrong EXPRESSION MESSAGE
wrong()
{
	"$waymark" print --where="$1" t.ctf >all 2>notes && fail "--where='$1' is accepted"
	[ -s all ] && fail "--where='$1' prints"
	grep -qF -- "$2" notes || fail "--where='$1': $(cat notes)"
}
wrong 'op == writ' "no event has a field or value 'writ': did you mean 'write'?"
wrong 'op == "writ"' "no field has the value 'writ': did you mean 'write'?"
wrong 'bytes > 10ms' "a time is compared with bytes"
wrong '@event' "a text is neither true nor false"
wrong '"a" > 5' "text is compared with a number"

# Another program may declare the same event with other names.
mkdir other && cp -r t.ctf other/ && sed -i 's/0=read 1=write/0=load 1=store/' other/t.ctf/metadata
messages "$work/t.ctf" --event=submit >wanted.one
sed 's/read/load/; s/write/store/' wanted.one >wanted.other
"$waymark" print --event=submit t.ctf other/t.ctf 2>notes | cut -d' ' -f3- | sort >got
sort wanted.one wanted.other | diff - got || fail "two traces have their own names"

"$waymark" latency --from=submit --to=complete t.ctf >got 2>notes || fail "latency"
grep -qE '^submit +complete +4 ' got || fail "latency: $(cat got notes)"
grep -q "paired by 'request', the declared key" notes || fail "latency says by what: $(cat notes)"

"$waymark" latency --from=submit --to=complete --per=op t.ctf >got 2>notes || fail "latency --per"
sed -n 's/^submit *complete *\([^ ]*\) .*/\1/p' got | sort | tr '\n' ' ' | grep -q '^2 flush read write $' ||
	fail "latency names values: $(cat got notes)"
"$waymark" latency --from=submit --to=complete --per=mode t.ctf 2>notes | grep -q ' direct|0x4 ' ||
	fail "latency names bits: $(cat notes)"

# A declaration of -e adds what the trace does not say, if it is of the same event.
cat >more <<'END'
# @enum op 1=more
plain(int op)
# @enum op 0=other
submit(uint64_t request, int op, uint32_t mode, uint64_t bytes)
END
messages t.ctf --event=plain -e more >got
[ "$(cat got)" = "plain op more" ] || fail "-e names values: $(cat got notes)"
messages t.ctf --event=submit -e more | head -1 | grep -q ' op read ' || fail "the trace's own names count"
[ "$("$waymark" print --count --where='op == more' -e more t.ctf)" = 1 ] || fail "--where with -e"
for other in 'plain(int another)' 'plain(uint64_t op)' 'plain(int op, int b)'; do
	name=op
	[ "$other" = 'plain(int another)' ] && name=another
	printf '# @enum %s 1=more\n%s\n' $name "$other" >more
	messages t.ctf --event=plain -e more >got
	[ "$(cat got)" = "plain op 1" ] || fail "$other is another event: $(cat got notes)"
done

if command -v babeltrace2 >/dev/null; then
	babeltrace2 t.ctf >all || fail "babeltrace2"
	grep -q 'op = ( "write" : container = 1 )' all || fail "babeltrace2 has no names"
	grep -q 'ret = ( "io_error" : container = -5 )' all || fail "babeltrace2 has no negative names"
	grep -q 'flags = (.* : container = 32769 )' all || fail "babeltrace2 has no bits"
fi

WAYMARK_TRACE='*,backend=ctf,file=killed.ctf' "$program" kill
messages killed.ctf --event=-change* >got
same "names are printed after a kill"
"$waymark" recover killed.ctf || fail "recover"
messages killed.ctf --event=-change* >got
same "names are printed of a recovered trace"

WAYMARK_TRACE='*,backend=simple,file=t.simple' "$program" || fail "the program with simple"
messages t.simple -e "$events" -e "$toml" --event=-change* >got
same "names are printed of simple traces"
"$waymark" convert -e "$events" -e "$toml" -o converted.ctf t.simple || fail "convert"
messages converted.ctf --event=-change* >got
same "names are printed of a converted trace"
exit $failed
