#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands with pipes, files and terminals: commands.sh TESTS COMMANDS
set -u
tests=$(realpath "$1")
commands=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$tests/make_traces.py" "$work" || exit 1
events=$tests/golden/trace-events
print="$commands/waymark print -e $events"
cd "$work" || exit 1
failed=0

fail() {
	echo "FAILED: $*"
	failed=1
}

# same WHAT FILE FILE
same() {
	cmp -s "$2" "$3" || fail "$1"
}

$print v4 >wanted || fail "print"

$print - <v4 >got || fail "standard input"
same "standard input reads like a file" wanted got

cat v4 | $print - >got
same "a pipe reads like a file" wanted got

"$commands/simpletrace" "$events" v4 >wanted.simple
cat v4 | "$commands/simpletrace" "$events" - >got
same "simpletrace reads a pipe" wanted.simple got
"$commands/simpletrace" "$events" /dev/stdin <v4 >got
same "simpletrace reads /dev/stdin" wanted.simple got

$print -o got v4 || fail "-o"
same "-o writes the same" wanted got

cp v4 copy
$print -o copy copy 2>err && fail "-o over the trace"
same "a trace is not overwritten by its own output" v4 copy
grep -q "both the trace and the output" err || fail "-o over the trace says why"
$print -o copy - <copy 2>err && fail "-o over standard input"
same "standard input is not overwritten by its own output" v4 copy

cp "$events" declared
ln -s declared linked
for output in declared linked; do
	"$commands/waymark" print -e declared -o $output v4 2>err && fail "-o $output over the declarations"
	same "declarations are not overwritten by the output" "$events" declared
	grep -q "$output: is both the declarations and the output" err || fail "-o over declarations says why"
	"$commands/waymark" convert -e declared --replace -o $output v4 2>err && fail "convert -o $output"
	same "declarations are not replaced" "$events" declared
	grep -q "$output: is both the declarations and the output" err || fail "convert says why: $(cat err)"
done

$print -o /nonexistent/file v4 2>err && fail "-o that cannot be opened"
grep -q "/nonexistent/file: cannot open for writing" err || fail "-o says why"

$print v4 >/dev/full 2>err && fail "a full disk is an error"
grep -q "No space left" err || fail "a full disk is named"

# A reader that closes the pipe early is no error, and causes no message.
python3 - "$tests" >long <<'END'
import sys
sys.path.insert(0, sys.argv[1])
from make_traces import READ, Trace
t = Trace(4)
record = Trace(4).event(READ, 1, 2, 3).data[len(t.data):]
sys.stdout.buffer.write(t.data + record * 50000)
END
$print long 2>err | head -n 1 >got
status=${PIPESTATUS[0]}
[ "$status" = 0 ] || fail "a closed pipe ends with $status"
[ -s err ] && fail "a closed pipe prints: $(cat err)"
[ "$(wc -l <got)" = 1 ] || fail "head got its line"
[ "$($print long | wc -l)" = 50000 ] || fail "a long trace is printed whole"

$print truncated >got 2>err && fail "a truncated trace is an error"
[ "$(wc -l <got)" = 8 ] || fail "a truncated trace prints its whole part"

# A live trace is printed as it arrives: each line can be read while the pipe stays open.
mkfifo live lines
$print - <live >lines &
exec 3>live 4<lines
cat v4 >&3
seen=0
while read -t 5 -r -u 4 _ && [ $((seen += 1)) -lt "$(wc -l <wanted)" ]; do :; done
[ "$seen" = "$(wc -l <wanted)" ] || fail "only $seen lines of a live trace are shown"
exec 3>&- 4<&-
wait

# A signal ends a reader that follows a pipe: that is no error, and all records are printed.
mkfifo silent
follow_until() { # SIGNAL OPTION...
	timeout -k 5 --preserve-status -s "$1" 1 $print --follow "${@:2}" silent >got 2>err ||
		fail "$1 ends a reader of a pipe with $?: $(cat err)"
	[ ! -s err ] || fail "$1 says $(cat err)"
}
follow_until INT
follow_until TERM
exec 3<>silent
follow_until INT
follow_until TERM
cat v4 >&3
follow_until INT
same "a signal cuts nothing of what a pipe had" wanted got
cat v4 >&3
follow_until TERM --count
$print --count v4 >counted
same "nor of the count" counted got
exec 3>&-

# A limit of the shell is reported like a full disk.
(ulimit -f 1; $print -o limited long) >got 2>err && fail "a limit is an error"
grep -q "cannot write the output: File too large" err || fail "a limit says '$(cat err)'"

# If standard output is non-blocking, the command waits for it.
python3 - $print long <<'END' || fail "a pipe that does not block loses lines"
import os, subprocess, sys, time
r, w = os.pipe()
os.set_blocking(w, False)
with subprocess.Popen(sys.argv[1:], stdout=w) as printer:
    os.close(w)
    time.sleep(0.3)
    with open(r, "rb") as lines:
        count = sum(1 for _ in lines)
sys.exit(count != 50000 or printer.returncode != 0)
END

# With the wrong declarations every record is a problem: the messages are bounded.
sed 's/uint32_t bytes/uint32_t bytes, int more/' "$events" >wrong
"$commands/waymark" print -e wrong long >got 2>err && fail "wrong declarations are an error"
[ "$(wc -l <err)" -le 12 ] || fail "wrong declarations print $(wc -l <err) lines"
[ "$(grep -c "are these the declarations of the program" err)" = 1 ] ||
	fail "wrong declarations are not suspected once"
grep -q "49990 more records" err || fail "the other problems are counted"

# A name does not control the terminal, whatever its bytes are.
$print "$(printf 'x\302\2331m\342\200\256y\377')" 2>err && fail "no such trace"
grep -qF 'x\u009b1m\u202ey\xff: cannot open' err || fail "names are escaped: $(cat err)"

# Colour is for terminals, or on request.
if command -v script >/dev/null; then
	TERM=xterm script -qec "$print v4" /dev/null </dev/null >got
	grep -q $'\033\[36mblk_read' got || fail "colour on a terminal"
	TERM=xterm NO_COLOR=1 script -qec "$print v4" /dev/null </dev/null >got
	grep -q $'\033' got && fail "NO_COLOR is respected"
	TERM=dumb script -qec "$print v4" /dev/null </dev/null >got
	grep -q $'\033' got && fail "a dumb terminal gets no colour"
fi
grep -q $'\033' wanted && fail "no colour in a file"

"$commands/waymark" info --json -e "$events" v4 | python3 -m json.tool >/dev/null ||
	fail "info --json is JSON"
[ "$("$commands/waymark" --version)" ] || fail "--version"
exit "$failed"
