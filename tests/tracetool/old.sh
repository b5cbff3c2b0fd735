#!/bin/sh
# SPDX-License-Identifier: MIT
# Declarations that QEMU 2.8 accepted and later releases refuse are errors, and warnings with
# --accept-old: log lines and simple records are those of that release, and ctf has a field that
# its readers show. QEMU's own declarations of 5.0 and 10.2 pass with --accept-old, too.
#
#	old.sh TRACETOOL ROOT LIBWAYMARK WAYMARK SIMPLETRACE
library=$(realpath "$3")
waymark=$(realpath "$4")
simpletrace=$(realpath "$5")
. "$(dirname "$0")/lib.sh"
if ! have gcc; then
	echo "skipped: gcc is missing"
	exit 77
fi

cat >old.events <<'END'
old_newline(int n) "n %d\n"
old_newlines(int n) "n\n%d" "\n"
old_error(int before, int after) "before %d: %-30m| after %d"
old_void(void) "failed: %m"
old_float(double rate, float share) "rate %g, %-8.3f|"
old_bytes(int id, const uint8_t *text, int n) "id %d text %s n %d"
old_part(int n, signed char *text) "%.*s"
old_pointer(double *p) "p %p"
vcpu old_cpu(const uint8_t *text) "%s %m"
old_newline_run(int n) "n %d|\n\x0a" "\012" ""
old_bare(double x, const unsigned char *bytes)
disable old_off(double x, const uint8_t *t) "%g %s %m"
END

# Without the option each line is an error, with it a warning.
"$tracetool" --check old.events 2>err && fail 'accepted without --accept-old'
for line in $(seq 1 12); do
	grep -q "^old.events:$line:.* error: " err || fail "line $line is no error"
done
"$tracetool" --check --accept-old old.events 2>err || fail "not accepted: $(cat err)"
for line in $(seq 1 12); do
	grep -q "^old.events:$line:.* warning: " err || fail "line $line is no warning"
done
"$tracetool" --check --accept-old --werror old.events 2>err && fail 'a warning is no error'
# Formats that no release could print are refused with --accept-old, too.
cat >bad.events <<'END'
bad(int n) "%g"
bad2(double x) "%d"
bad3(double x) "%s"
bad4(uint16_t *text) "%s"
bad5(void *text) "%s"
bad6(long double x) "%Lg"
tcg bad7(double x) "%g", "%g"
tcg bad8(void) "%m", "%m"
bad9(int n) "%hm"
bad10(const uint8_t *text, int n) "%s"
bad11(double x) "%n"
END
"$tracetool" --check --accept-old bad.events 2>err && fail 'accepted what cannot be printed'
for line in $(seq 1 11); do
	grep -q "^bad.events:$line:.* error: " err || fail "bad line $line is accepted"
done
# An error after the maximum number of arguments is refused, too.
for kind in '' 'vcpu '; do
	last=$(( $(printf %s "$kind" | wc -w) ? 31 : 32 ))
	{
		printf '%sfull(int a1' "$kind"
		printf ', int a%s' $(seq 2 $last)
		printf ') "'
		printf '%%d%.0s ' $(seq $last)
		echo '%m"'
	} >full.events
	"$tracetool" --check --accept-old --max-args=32 full.events 2>err &&
		fail "${kind}33 arguments"
	sed 's/ %m//' full.events >fits.events
	"$tracetool" --check --accept-old --max-args=32 fits.events || fail "${kind}32 arguments"
done

cat >main.c <<'END'
#include <errno.h>
#include "trace-old.h"

int main(void)
{
	static const uint8_t text[] = { 't', 'e', 'x', 't', 0 };
	static const uint8_t part[3] = { 'p', 'a', 'r' };
	static const signed char signs[3] = { 'a', 'b', 'c' };
	signed char *sign = (signed char *)signs;
	static double zero;
	struct CPUState *cpu = (struct CPUState *)&zero;

	trace_old_newline(1);
	trace_old_newlines(2);
	trace_old_newline_run(2);
	errno = ENOENT;
	trace_old_error(3, 4);
	trace_old_void();
	errno = 4095;
	trace_old_void();
	errno = ENOENT;
	trace_old_float(1234567.25, 2.5f);
	trace_old_float(-1e300, -0.125f);
	trace_old_float(1 / zero, 0);
	trace_old_bytes(5, text, 6);
	trace_old_bytes(5, NULL, 6);
	trace_old_part(2, sign);
	trace_old_pointer(NULL);
	trace_old_cpu(cpu, text);
	trace_old_bare(0.5, part);
	trace_old_off(0.5, text);
	return errno != ENOENT;
}
END
cat >expected <<'END'
old_newline n 1
old_newlines n\n2
old_newline_run n 2|
old_error before 3: No such file or directory     | after 4
old_void failed: No such file or directory
old_void failed: error 4095
old_float rate 1.23457e+06, 2.500   |
old_float rate -1e+300, -0.125  |
old_float rate inf, 0.000   |
old_bytes id 5 text text n 6
old_bytes id 5 text (null) n 6
old_part ab
old_pointer p (nil)
old_cpu cpu= text No such file or directory
END

# The same in C and C++, with all backends that can be compiled here.
all=$(usable | grep -vx nop | paste -sd,)
generate_c "$all" old old.events --accept-old 2>/dev/null
for format in ust-events-h:trace-ust-old.h ust-events-c:trace-ust-old.c; do
	"$tracetool" --accept-old --format=${format%%:*} --backends="$all" --group=old old.events \
		${format#*:} 2>/dev/null || fail "$format"
done
compilers >starts
while read -r compiler; do
	$compiler $warnings -I"$include" -I. -c trace-old.c -o old.o || fail "$compiler"
done <starts
for format in $("$tracetool" --list-formats | tr -d ,); do
	"$tracetool" --accept-old --format=$format --backends="$all" --group=old --binary=/b \
		--probe-prefix=p old.events output 2>/dev/null || fail "$format"
done
generate_c nop nop old.events --accept-old 2>/dev/null
sed 's/trace-old.h/trace-nop.h/' main.c >nop.c
gcc $warnings -I"$include" -I. -c nop.c -o nop.o || fail 'nop'

generate_c ctf,log,simple old old.events --accept-old 2>/dev/null
gcc $tsan -O1 $warnings -I"$include" -I. main.c trace-old.c "$library" -o main || fail 'gcc'
export LD_LIBRARY_PATH=${library%/*} LC_ALL=C
./main || fail 'a program with all events off changes errno'
WAYMARK_TRACE='old_*,ctf.file=ctf,simple.file=simple,log.file=log' ./main || fail 'errno is changed'
sed 's/^[^:]*://; s/cpu=0x[0-9a-f]*/cpu=/; /old_bare/d' log | diff expected - || fail 'log'
grep -q 'old_bare x=0.5 bytes=0x[0-9a-f]*$' log || fail "$(grep old_bare log)"
"$waymark" print ctf >printed || fail 'print'
sed 's/^[^ ]* [^ ]* //; s/cpu=0x[0-9a-f]*/cpu=/; /old_bare/d' printed |
	diff expected - || fail 'ctf'
grep -q 'old_bare x=0.5 bytes=0x' printed || fail "ctf: $(grep old_bare printed)"
"$waymark" print --json ctf >json
grep -q '"rate":1234567.25,"share":2.5' json || fail "json: $(grep -m1 old_float json)"
grep -q '"error":"No such file or directory"' json || fail 'json: error'
if have babeltrace2; then
	babeltrace2 ctf >babel 2>err || fail "babeltrace2: $(cat err)"
	grep -q 'rate = 1234567.25, share = 2.5' babel || grep -q 'rate = 1.23457e+06' babel ||
		fail "babeltrace2: $(grep -m1 old_float babel)"
	grep -q 'text = "text"' babel || fail 'babeltrace2: text'
fi

# The records of that release: the whole part of a float, an address, no error.
"$simpletrace" old.events simple | sed 's/ [0-9.-]* pid=[0-9]*//; s/=0x[0-9a-f]\{8,\}$/=ADDRESS/; s/ $//' >simple.out
for line in 'old_error before=0x3 after=0x4' 'old_void' 'old_float rate=0x12d687 share=0x2' \
	'old_float rate=0x8000000000000000 share=0x0' 'old_float rate=0xffffffffffffffff share=0x0' \
	'old_bytes id=0x5 text=0x0 n=0x6' 'old_part n=0x2 text=ADDRESS' 'old_pointer p=0x0'; do
	grep -qx "$line" simple.out || fail "simple has no '$line': $(cat simple.out)"
done
grep -q 'old_bytes id=0x5 text=0x[0-9a-f]* n=0x6' simple.out || fail 'simple: address'

if [ ! -d "$data/qemu-5.0" ]; then
	echo "not tested: no QEMU declarations under $data"
	finish
fi
for file in $(find "$data/qemu-5.0" "$data"/qemu-simpletrace/trace-events-all-10.2* -type f); do
	"$tracetool" --check --accept-old "$file" 2>err || fail "$file: $(grep -m1 error: err)"
	"$tracetool" --check "$file" 2>plain || fail "$file without the option"
	diff err plain || fail "$file: the option changes the messages"
done
finish
