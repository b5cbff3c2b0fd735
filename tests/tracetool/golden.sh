#!/bin/sh
# SPDX-License-Identifier: MIT
# The code generated for the declarations in golden/ equals the files beside them: in every format
# that tracetool lists, with every backend that it lists and that changes the format. Files of a
# single backend have few events, and show that backend's code; files of several backends have all
# events. Equal files are stored once; golden/list names them. To see and accept the effect of a
# changed or new emitter: golden.sh TRACETOOL ROOT --update
. "$(dirname "$0")/lib.sh"

[ "${3:-}" != --update ] || update=yes
golden=$here/golden
formats=$("$tracetool" --list-formats | tr -d ,)
every=$("$tracetool" --list-backends | tr -d ,)
several=ctf,log,ust # one of each kind: recorded, a line of text, switched by another tracer
alike=ctf,log # one call of the runtime serves all

# backends_of FORMAT: prints the backends that the format is made with
backends_of()
{
	case $1 in
	c) echo "$every $several $alike" ;;
	h | rs) echo "$every $several" ;;
	d | bpftrace | stap | log-stap | simpletrace-stap) echo dtrace ;;
	ust-events-h | ust-events-c) echo ust ;;
	translate-h | tcg-*) echo log nop ;;
	esac
}

# declarations_of FORMAT BACKENDS
declarations_of()
{
	case "$1 $2" in
	translate-h* | tcg-*) echo tcg-events ;;
	"c $several" | "c $alike") echo trace-events ;;
	c*) echo few-events ;;
	*) echo trace-events ;;
	esac
}

# of_toml: prints the formats and backends that differ for values.toml
of_toml()
{
	echo h $several h dtrace c $several c dtrace ust-events-h ust d dtrace stap dtrace \
		log-stap dtrace bpftrace dtrace
}

# generate BACKENDS FORMAT OUTPUT DECLARATIONS: generates like a build, from the folder of the
# declarations
generate()
{
	(cd "$golden" && "$tracetool" --format="$2" --backends="$1" --group=golden \
		--binary=/usr/bin/program --probe-prefix=program --output="$3" "$4")
}

# store FILE: prints the name under which it is stored: that of the first equal file
store()
{
	for other in made/*."${1##*.}"; do
		[ "$other" != "made/$1" ] && cmp -s "made/$1" "$other" || continue
		rm "made/$1"
		echo "${other#made/}"
		return
	done
	echo "$1"
}

# make FORMAT BACKENDS DECLARATIONS [PREFIX]: makes one file; `log-stap` with `dtrace` is
# made/dtrace-log.stap
make()
{
	name=${4-}$(echo "$2-$1" | sed 's/,/-/g; s/-\([a-z]*\)$/.\1/')
	generate "$2" "$1" "$tmp/made/$name" "$3" || fail "--format=$1 --backends=$2 $3"
	echo "$1 $2 $(store "$name")" >>made/list
	[ "${update-}" ] || grep -q "^$1 $2 " "$golden/list" ||
		fail "no golden of --format=$1 --backends=$2: read what golden.sh --update makes, commit it"
}

mkdir made
cp "$golden"/*-events "$golden/values.toml" made
for format in $formats; do
	chosen=$(backends_of "$format")
	[ "$chosen" ] || fail "no golden of --format=$format: add it to backends_of() in golden.sh"
	for backends in $chosen; do
		make "$format" "$backends" "$(declarations_of "$format" "$backends")"
	done
done
set -- $(of_toml)
while [ $# -gt 0 ]; do
	make "$1" "$2" values.toml values-
	shift 2
done
if [ "${update-}" ] && [ $failures -eq 0 ]; then
	find "$golden" -type f -delete
	cp made/* "$golden"
elif ! diff -ru "$golden" made; then
	fail 'the goldens (-) differ from what is generated (+): see the head of golden.sh'
fi
finish
