#!/bin/sh
# SPDX-License-Identifier: MIT
# integrations/qemu/adopt makes a tree with QEMU's build rules record with Waymark, by meson and by
# make, and restores it; a tree that does not fit is refused and stays as it is: standin.sh ROOT
# BUILD
. "$1/tests/adopt/common.sh"
tools=$tmp/qemu
cp -r "$installed/share/waymark/qemu" "$tools"
adopt=$tools/adopt

# The stand-in's files become known, except the one that is edited.
standin=$root/tests/qemu/standin
for path in $(cd "$standin" && find trace stubs -name '*.[ch]' ! -name 'qmp*'); do
	echo "$path $(git hash-object "$standin/$path")" >>"$tools/known"
done

# tree NAME: a fresh stand-in
tree() {
	rm -rf "$1"
	cp -r "$standin" "$1"
	if [ "$1" = made ]; then
		rm "$1/meson.build" "$1/meson_options.txt"
		mv "$1/trace/qmp-vcpu.c" "$1/trace/qmp.c"
	else
		rm "$1/rules.mak" "$1/trace/qmp-vcpu.c"
	fi
	cp -r "$1" "$1.before"
}
is_unchanged() { # NAME
	diff -r "$1.before" "$1" >"$tmp/out" || fail "$1 changed: $(cat "$tmp/out")"
}
says() { # TEXT
	grep -qF -- "$1" "$tmp/out" || fail "'$1' is missing: $(cat "$tmp/out")"
}
refuses() { # TREE TEXT...
	name=$1
	shift
	"$adopt" "$name" >"$tmp/out" 2>&1 && fail "$name is adopted"
	for text; do
		says "$text"
	done
	! grep Traceback "$tmp/out" || fail "$(cat "$tmp/out")"
}

# adopts NAME: adopt prints what it changes; the second time it changes nothing
adopts() {
	quietly "$adopt" --check "$1"
	says 'can adopt Waymark'
	says 'replaces trace/control.c'
	says 'adds     scripts/tracetool/backend/ctf.py'
	is_unchanged "$1"
	quietly "$adopt" "$1"
	says 'replaces trace/control.c'
	says '--enable-trace-backends=log,ctf'
	cp -r "$1" "$1.adopted"
	quietly "$adopt" "$1"
	says 'has adopted Waymark already'
	diff -r "$1.adopted" "$1" || fail "the second adopt changed $1"
	rm -r "$1.adopted"
}

# runs PROGRAM: events are recorded from the first on, lines go where -D says, errors are QEMU's
runs() {
	for mode in '' -u; do
		rm -rf t.ctf
		quietly "$1" -trace 'io_*,backend=ctf' -trace file=t.ctf $mode
		waymark print t.ctf | sed 's/.*io_read/io_read/' >events
		printf 'io_read fd 3 of early\nio_read fd 4 of late\n' | diff - events ||
			fail "$1: other events"
		waymark info t.ctf | grep -qx 'state  *ended' || fail "$1 $mode: $(waymark info t.ctf)"
	done
	quietly "$1" -D log -trace 'io_*,backend=log'
	[ "$(grep -c '^log: .*io_read fd [34] of ' log)" = 2 ] || fail "$1: -D log has $(cat log)"
	"$1" -trace 'nothing' 2>lines
	grep -q "^qemu: .*nothing" lines || fail "$1: the report is $(cat lines)"
	"$1" -trace help >lines || fail "$1: no help"
	grep -qx io_read lines || fail "$1: the list is $(cat lines)"
}

# records_only TEXT PROGRAM ARGUMENT...: the trace has events with these paths, one a line
records_only() {
	text=$1
	shift
	rm -rf t.ctf
	"$@" -trace file=t.ctf >lines 2>&1 || fail "$*: $(cat lines)"
	{ waymark print t.ctf 2>/dev/null || :; } | sed -n 's/.*io_read fd [34] of //p' >events
	printf "$text" | diff - events || fail "$*: other events; $(cat lines)"
}
reports() { # TEXT
	grep -qxF -- "qemu: $1" lines || fail "'$1' is missing: $(cat lines)"
}

# switches PROGRAM: the function of the monitor's commands takes terms, and refuses wrong ones
switches() {
	records_only 'early\nlate\n' "$1" -on io_read
	records_only 'late\n' "$1" -on 'io_read if fd == 4'
	records_only 'early\n' "$1" -on 'io_* first=1'
	records_only 'early\nlate\n' "$1" -on 'io_read if fd == 4' -on io_read
	records_only '' "$1" -on 'io_read if fd == 4' -off io_read
	records_only 'early\nlate\n' "$1" -on io_read -on 'io_read if size > 4'
	reports "condition 'size > 4': column 1: event 'io_read' has no field or value 'size'"
	records_only '' "$1" -on 'io_write if fd == 4'
	reports 'unknown event "io_write"'
	records_only '' "$1" -on 'when io_write then stop'
	reports 'unknown event "io_write"'
	records_only '' "$1" -on 'net_* if fd == 4'
	reports "warning: no event matches 'net_* if fd == 4'"
	records_only '' "$1" -on 'io_read fd 4'
	reports "'io_read fd 4': limits, or 'if' and a condition, follow the name"
	records_only '' "$1" -off 'io_read if fd == 4'
	reports "'io_read if fd == 4': what switches off has no condition or limit"
}

# logs PROGRAM PREFIX [ARGUMENT...]: each line of the log begins with that
logs()
{
	program=$1 prefix=$2
	shift 2
	"$program" -trace 'io_*,backend=log' "$@" 2>lines || fail "$program fails with the log"
	[ "$(grep -cE "^${prefix}io_read fd [34] of " lines)" = 2 ] ||
		fail "$program $*: stderr has $(cat lines)"
}

second='[0-9]+@[0-9]+\.[0-9]{6}:'
date='20[0-9-]{8}T[0-9:]{8}\.[0-9]{6}Z '

tree meson
adopts meson
for release in 5.2.0 8.2.0 10.2.0; do
	cp -R meson tree-$release
	echo $release >tree-$release/VERSION
	quietly meson setup meson-$release tree-$release -Dtrace_backends=log,ctf
	quietly ninja -C meson-$release
done
logs meson-5.2.0/qemu "$second"
logs meson-8.2.0/qemu ''
logs meson-8.2.0/qemu "$second" -msg timestamp=on
logs meson-10.2.0/qemu ''
logs meson-10.2.0/qemu "$date" -msg timestamp=on
runs meson-10.2.0/qemu
switches meson-10.2.0/qemu
# The monitor's trace-file is there for ctf too.
grep -q 'CONFIG_TRACE_SIMPLE' meson-10.2.0/config-host.h || fail "no CONFIG_TRACE_SIMPLE"

quietly meson setup meson-modules meson -Dtrace_backends=log,ctf -Dmodules=true
quietly ninja -C meson-modules
quietly meson-modules/qemu -trace 'io_*,backend=ctf' -trace file=m.ctf -module "$PWD/meson-modules/module.so"
waymark print m.ctf | grep -q 'io_read fd 5 of module' || fail 'the module has no event'

tree made
adopts made
mkdir made-build
quietly make -C made-build -f ../made/Makefile SRC_PATH=../made TRACE_BACKENDS=log,ctf
quietly make -C made-build -f ../made/Makefile SRC_PATH=../made TRACE_BACKENDS=log,ctf \
	trace/generated-tcg-tracers.h-timestamp
grep -qx '#include "trace-root.h"' made-build/trace/generated-tcg-tracers.h-timestamp ||
	fail 'the header of translated events includes another one'
runs made-build/qemu
switches made-build/qemu
records_only '' made-build/qemu -vcpu 'io_read if fd == 4'
reports 'limits, conditions, triggers and aggregations are for all vCPUs'
logs made-build/qemu "$second"

for name in meson made; do
	quietly "$adopt" --undo $name
	says 'is restored'
	is_unchanged $name
	quietly "$adopt" --undo $name
	says 'has not adopted Waymark'
	quietly "$adopt" $name
done

# The reader of the report may exit early.
tree piped
"$adopt" piped 2>err | :
[ ! -s err ] || fail "with a closed pipe: $(cat err)"
quietly "$adopt" piped
says 'has adopted Waymark already'

# undo refuses a file of ours that was changed, also one that has no code.
echo '/* mine */' >>made/trace/simple.c
"$adopt" --undo made >"$tmp/out" 2>&1 && fail "undo removes a local change"
says 'changed since adopt'
says '  trace/simple.c'

# A newer version adopts a tree again, and restores what the older one replaced.
tree older
quietly "$adopt" older
echo '/* newer */' >>"$tools/overlay/trace/control.c"
quietly "$adopt" older
says 'replaces trace/control.c'
grep -qx '/\* newer \*/' older/trace/control.c || fail "control.c is not the newer one"
echo '/* newest */' >>"$tools/overlay/trace/control.c"
quietly "$adopt" --undo older
is_unchanged older

# Without the library the build says so, and adopt needs none.
PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR=/nowhere meson setup none-build meson >out 2>&1 </dev/null && fail "no library, and no error"
grep -q 'Dependency "waymark" not found' out || fail "without the library: $(tail -n 3 out)"

# A local change in a replaced file, and in the place of an edit.
tree changed
echo '/* mine */' >>changed/trace/control.c
sed -i 's/^tracetool = \[/generator = [/' changed/meson.build
rm -r changed.before && cp -r changed changed.before
refuses changed 'trace/control.c: differs' '[meson: generator]' 'nothing was changed'
is_unchanged changed

# A tree that may not be written: nothing of it is.
if [ "$(id -u)" -eq 0 ]; then
	as_user='setpriv --reuid=65534 --clear-groups'
	chmod a+rx "$tmp"
else
	as_user=
fi
tree fixed
chmod -R a-w fixed
$as_user "$adopt" fixed >"$tmp/out" 2>&1 && fail "a read-only tree is adopted"
says 'Permission denied; nothing was changed'
is_unchanged fixed
chmod -R u+w fixed
chmod a-w fixed/trace
[ -n "$as_user" ] && chown -R 65534 fixed
$as_user "$adopt" fixed >"$tmp/out" 2>&1 && fail "a tree with a read-only folder is adopted"
says 'Permission denied; nothing was changed'
chmod u+w fixed/trace
is_unchanged fixed

# No tree of QEMU at all.
mkdir other
refuses other 'no source tree of QEMU'
refuses missing 'no source tree of QEMU'
printf '0.0\n' >other/VERSION
mkdir other/scripts
touch other/scripts/tracetool.py
refuses other 'neither meson.build nor rules.mak'

# After git pull, undo restores what HEAD has, not what adopt kept, and leaves other lines alone.
tree pulled
as_git() { git -C pulled -c user.name=n -c user.email=n@n "$@"; }
quietly as_git init
quietly as_git add -A
quietly as_git commit -m old
quietly "$adopt" pulled
quietly as_git stash
echo '/* new */' >>pulled/trace/simple.c
echo '# new' >>pulled/meson.build
quietly as_git commit -a -m new
cp "$tools/overlay/trace/simple.c" pulled/trace/simple.c
quietly as_git add -A
as_git stash pop >out 2>&1 || true
cp "$tools/overlay/trace/simple.c" pulled/trace/simple.c
quietly "$adopt" --undo pulled
[ -z "$(as_git diff HEAD)" ] || fail "after pull and undo: $(as_git diff HEAD)"

# The names of KVM's numbers are declarations without a fault.
quietly tracetool --format=h --backends=log --group=kvm "$tools/kvm.events"
grep -q trace_kvm_run_exit "$tmp/out" || fail "kvm.events: $(cat "$tmp/out")"
! grep -E 'warning|error' "$tmp/out" || fail "kvm.events has faults"
