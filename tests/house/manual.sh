#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command with all its options, every public header and file format has its
# manual page; pages have no fault and are all installed: manual.sh ROOT BUILD
set -eu
cd "$1"
commands=$2/src/cmd
status=0

fault() {
	echo "$*"
	status=1
}

# page NAME TOPIC: the topic must have that page.
page() {
	[ -f "docs/man/$1" ] || fault "no manual page docs/man/$1 for $2"
}

# options PAGE COMMAND...: the options that --help names stand in the page.
options() {
	page=$1
	shift
	mandoc -Tascii "docs/man/$page" | sed "s/.$(printf '\b')//g" >"$text"
	for option in $("$commands/$@" --help 2>&1 | grep -o -- '--[a-z][a-z-]*' | sort -u); do
		grep -qe "$option" "$text" || fault "docs/man/$page does not name $option of $*"
	done
}

# usage COMMAND...: its line of usage names all options, or says that there are [OPTION...].
usage() {
	help=$("$commands/$@" --help)
	line=$(echo "$help" | head -n 1)
	case $line in *OPTION*) return ;; esac
	for option in $(echo "$help" | sed -n 's/^  \(-[a-z]\), .*/\1/p; s/^      \(--[a-z]*\).*/\1/p'); do
		case "$option $line" in
		-h\ * | --version\ * | *"[$option"[\ \]]*) ;;
		*) fault "the usage of $* lacks $option: $line" ;;
		esac
	done
}

for command in $(sed -n "s/.*executable('\([a-z]*\)'.*/\1/p" src/cmd/meson.build); do
	page "$command.1" "the command $command"
done
page waymark-control.3 waymark/control.h
page waymark-debug.3 waymark/debug.h
page waymark-jail.7 waymark/init.h
page waymark-monitor.3 waymark/monitor.h
page waymark-reader.3 waymark/reader.h
page waymark-scopes.3 waymark/declared_scope.h
page waymark-trace-points.3 waymark/scope.h
page waymark-translate.3 waymark/translate.h
page waymark-vcpu.3 waymark/vcpu.h
page waymark-trace.7 "the -trace option"
page waymark-trace-events.5 "declaration files"
page waymark-toml.5 "declaration files in TOML"
page waymark-simpletrace.5 "the file of simple"

pages=$(find docs/man -name '*.[1-8]' | sort)
for page in $pages; do
	grep -q "'${page##*/}'" docs/man/meson.build ||
		fault "$page is not listed in docs/man/meson.build"
done
if ! command -v mandoc >/dev/null; then
	[ $status -eq 0 ] || exit $status
	echo "mandoc is not installed: the pages were not checked for faults"
	exit 77
fi
mandoc -Tlint -Wwarning $pages || status=1
! grep -n 'Qq .* Qq ' $pages || fault "a Qq inside a Qq: its quotes nest"
[ "$(sed -n 's/^\.Dd .*\([0-9]\{4\}\)$/\1/p' $pages | sort -u | wc -l)" -eq 1 ] || fault "pages are of several years"

text=$(mktemp)
trap 'rm -f "$text"' EXIT
options tracetool.1 tracetool
options simpletrace.1 simpletrace
options waymark.1 waymark
for command in $("$commands/waymark" --help | sed -n '/^commands:/,$s/^  \([a-z]*\) .*/\1/p'); do
	page "waymark-$command.1" "the command waymark $command"
	usage waymark "$command"
	[ ! -f "docs/man/waymark-$command.1" ] || options "waymark-$command.1" waymark "$command"
done
exit $status
