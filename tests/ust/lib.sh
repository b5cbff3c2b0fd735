# SPDX-License-Identifier: MIT
# Shared by the scripts of this folder; sources tests/tracetool/lib.sh.
. "$(dirname "$0")/../tracetool/lib.sh"

needs_ust()
{
	have gcc && echo '#include <lttng/ust-version.h>' | gcc -E - >/dev/null 2>&1 && return
	echo "skipped: gcc or liblttng-ust-dev is missing"
	exit 77
}

# generate BACKENDS GROUP FILE FOLDER [OPTION...]: generates all four files
generate()
{
	with=$1 group=$2 file=$3 to=$4
	shift 4
	for format in h c ust-events-h ust-events-c; do
		name=trace-$group.$format
		case $format in
		ust-*) name=trace-ust-$group.${format##*-} ;;
		esac
		"$tracetool" --format=$format --backends="$with" --group="$group" "$@" \
			--output="$to/$name" "$file" 2>>"$tmp/diagnostics" || fail "$file: $format"
	done
}
