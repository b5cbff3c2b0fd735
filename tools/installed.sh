# SPDX-License-Identifier: MIT
# Shared by tools/install and tools/uninstall: the paths, and the record of installed files.
export LC_ALL=C
prefix=$(realpath -ms "$PREFIX")
destdir=${DESTDIR:+$(realpath -ms "$DESTDIR")}
target=$destdir${prefix%/}
record=share/waymark/installed

# read_record TO: writes the sorted record to TO. Refuses names with `..`, because root may read
# another user's record.
read_record() {
	if grep -E '(^|/)\.\.(/|$)' "$target/$record" >&2; then
		echo "${0##*/}: these lines of $target/$record are not ours" >&2
		exit 1
	fi
	sort -u "$target/$record" >"$1"
}

# in_place PATH COMMAND...: runs the command in PATH's folder, with PATH's base name as last
# argument. Refuses a folder that is reached through a link: root may install into another user's
# prefix, where a folder has been replaced by a link to another place. A missing folder is no
# error.
in_place() {
	folder=$(dirname "$1")
	name=$(basename "$1")
	shift
	[ -d "$target/$folder" ] || return 0
	(
		real=$(cd -P "$target" && pwd -P)
		[ "$folder" = . ] || real=${real%/}/$folder
		cd -P "$target/$folder" 2>/dev/null && [ "$(pwd -P)" = "$real" ] && "$@" "./$name"
	)
}

# take_away PATH: removes a file of the record.
take_away() {
	in_place "$1" rm -f || echo "${0##*/}: $target/$1 is left: a folder on the way is a link" >&2
}
