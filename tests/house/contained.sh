#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests leave no memory, file or process behind, when they end and when they are interrupted; as
# root and as an ordinary user: contained.sh ROOT
set -eu
root=$1
place=$(mktemp -d)
cd "$place" # an ordinary user may be barred from where we were started
trap 'rm -rf "$place"' EXIT

fail() {
	echo "$*"
	exit 1
}

# leaver PLACE HOW: leaves memory, a closed directory and a process that only SIGKILL ends.
cat >"$place/leaver" <<'LEAVER'
#!/bin/sh
mkdir -p "$TMPDIR/closed/folder"
chmod 0 "$TMPDIR/closed"
: >"${WAYMARK_SHM:-/dev/shm}/waymark-left"
echo "$TMPDIR" "${WAYMARK_SHM-}" >>"$1/places"
setsid sh -c 'trap "" HUP INT TERM; echo $$ >>"$0"; while :; do sleep 1000; done' "$1/pids" &
until grep -qsx $! "$1/pids"; do sleep 0.01; done
eval "$2"
LEAVER
cat >"$place/meson.build" <<'BUILD'
project('sample')
add_test_setup('contained', exe_wrapper: find_program('contained'), is_default: true)
foreach name : ['one', 'two', 'three', 'four', 'five']
  test(name, find_program('leaver'), args: [meson.current_source_dir(), 'sleep 1000'])
endforeach
BUILD
cp "$root/tools/contained" "$root/tools/run-tests" "$place"
mkdir "$place/tmp"
chmod 0777 "$place" "$place/tmp"
chmod 0755 "$place/leaver" "$place/contained" "$place/run-tests"
export TMPDIR="$place/tmp" WAYMARK_STRICT=0 WAYMARK_SKIPS=/dev/null

nothing_is_left() {
	for pid in $(cat "$place/pids"); do
		! kill -0 "$pid" 2>/dev/null || return 1
	done
	for left in "$TMPDIR"/* /dev/shm/waymark-left $(cat "$place/places"); do
		[ ! -e "$left" ] || return 1
	done
}

# ends STATUS HOW: runs the leaver with the command prefix $user
ends() {
	echo "$user: $2"
	rm -f "$place/pids" "$place/places"
	status=0
	$user "$place/contained" "$place/leaver" "$place" "$2" >"$place/out" 2>&1 || status=$?
	[ $status -eq "$1" ] || fail "$2: exit status $status, not $1: $(cat "$place/out")"
	nothing_is_left || fail "$2: something is left: $(cat "$place/places" "$place/pids")"
}

# interrupted WHOM SIGNAL: interrupts a run of tests when two of them are running
interrupted() {
	echo "$user: SIG$2 to the $1"
	rm -f "$place/pids" "$place/places"
	$user "$place/run-tests" "$place/build" >"$place/out" 2>&1 &
	runner=$!
	until [ "$(cat "$place/pids" 2>/dev/null | wc -l)" -ge 2 ]; do
		kill -0 $runner 2>/dev/null || fail "no test runs: $(cat "$place/out")"
		sleep 0.05
	done
	case $1 in
	runner) pid=$runner ;;
	meson) pid=$(cat /proc/$runner/task/$runner/children) ;;
	esac
	kill -s "$2" $pid
	! wait $runner || fail "$1, $2: the run passed"
	until nothing_is_left; do sleep 0.05; done
}

# The starting process ends before contained looks for it: the output is unread.
ends_at_once() {
	echo "$user: ends at once"
	$user sh -c 'trap "" PIPE
		while echo; do sleep 0.01; done 2>/dev/null
		"$@" & echo $! >"$0"' "$place/pids" "$place/contained" "$place/leaver" "$place" 'sleep 1000' | true
	: >"$place/places"
	until nothing_is_left; do sleep 0.05; done
}

# A signal arrives as soon as a folder is made, before the guard can note its name.
ends_while_it_makes_folders() {
	echo "$user: ends while it makes folders"
	: >"$place/pids"
	: >"$place/places"
	! $user python3 - "$place/contained" true <<'CODE' || fail "the command passed"
import os, runpy, signal, sys, tempfile
mkdtemp = tempfile.mkdtemp
def interrupted(**options):
    folder = mkdtemp(**options)
    os.kill(os.getpid(), signal.SIGTERM)
    return folder
tempfile.mkdtemp = interrupted
del sys.argv[0]
runpy.run_path(sys.argv[0])
CODE
	nothing_is_left || fail "left: $(ls "$TMPDIR")"
}

everything() {
	ends 0 true
	ends 77 'exit 77'
	ends 139 'kill -s SEGV $$'
	ends 141 'kill -s PIPE $$'
	ends_at_once
	ends_while_it_makes_folders
	rm -rf "$place/build"
	$user meson setup "$place/build" "$place" >"$place/out" 2>&1 || fail "$(cat "$place/out")"
	for signal in INT TERM KILL; do
		interrupted runner $signal
	done
	interrupted meson KILL
}

user=env
everything
if [ "$(id -u)" -eq 0 ]; then
	user="setpriv --reuid=65534 --regid=65534 --clear-groups env PATH=/usr/bin:/bin"
	everything
fi
