# SPDX-License-Identifier: MIT
# What tools/install and tools/uninstall share: where, and the record of what is there.
export LC_ALL=C
prefix=$(realpath -ms "$PREFIX")
destdir=${DESTDIR:+$(realpath -ms "$DESTDIR")}
target=$destdir${prefix%/}
record=share/waymark/installed

# read_record TO: sorted. Root may read what somebody else wrote: it says nothing of other places.
read_record() {
	if grep -E '(^|/)\.\.(/|$)' "$target/$record" >&2; then
		echo "${0##*/}: these lines of $target/$record are not ours" >&2
		exit 1
	fi
	sort -u "$target/$record" >"$1"
}
