#!/bin/sh
# SPDX-License-Identifier: MIT
# golden.sh fails, and says why, for a tracetool with a backend or a format that has no
# golden, and for one without a backend that has one.
#
#	golden_catches.sh TRACETOOL ROOT
. "$(dirname "$0")/lib.sh"

# says TEXT BACKENDS FORMATS: runs golden.sh with a tracetool that also lists these; it must print
# TEXT
says()
{
	cat >tracetool <<-E_O_F
		#!/bin/sh
		# What the backend \`newest\` makes is something else than any other does.
		case \$* in
		--list-backends) echo "$2" ;;
		--list-formats) echo "$3" ;;
		*) exec "$tracetool" \$(echo "\$*" | sed s/--backends=newest/--backends=log,simple/) ;;
		esac
	E_O_F
	chmod +x tracetool
	"$here/golden.sh" tracetool "$root" >said && fail "golden.sh passes without: $1"
	grep -qxF -e "$1" said || fail "golden.sh does not say: $1"
}

backends=$("$tracetool" --list-backends)
formats=$("$tracetool" --list-formats)
without='read what golden.sh --update makes, commit it'
for format in h c rs; do
	says "FAILED: no golden of --format=$format --backends=newest: $without" "$backends, newest" "$formats"
done
says 'FAILED: no golden of --format=newest: add it to backends_of() in golden.sh' \
	"$backends" "$formats, newest"
says '-c syslog syslog.c' "$(echo "$backends" | sed 's/, syslog//')" "$formats"
finish
