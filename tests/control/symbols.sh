#!/bin/sh
# SPDX-License-Identifier: MIT
# The libraries' symbols: symbols.sh ROOT LIBWAYMARK.SO LIBWAYMARK.A
#  - libwaymark.so exports exactly the functions of the public headers,
#  - each trace_* of it is a name that no event may have (src/model/reserved.def),
#  - libwaymark.a has no global name outside waymark_, that list and trace/simple.h,
#  - libwaymark.so needs nothing but libc.
set -eu
root=$(realpath -e "$1")
shared=$(realpath -e "$2")
static=$(realpath -e "$3")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
status=0

differs() {
	echo "$1:"
	cat "$tmp/diff"
	status=1
}

nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$tmp/exported"
cd "$root/include"
headers="waymark/debug.h waymark/declared_scope.h waymark/descriptor.h waymark/init.h waymark/record.h
	waymark/record_event.h waymark/record_scope.h waymark/record_value.h waymark/site.h
	waymark/control.h waymark/host.h waymark/vcpu.h trace/control.h trace/simple.h"
# Macros on one line are left out, because the functions that they call are declared.
sed -e ':join' -e '/\\$/N; s/\\\n//; tjoin' $headers |
	gcc -fpreprocessed -dD -E -P - 2>/dev/null | grep -v '^#' | tr '\n' ' ' |
	sed 's/\(static inline\|WAYMARK_INLINE\|WAYMARK_SCOPE_INLINE\|WAYMARK_SITE_INLINE\)[^{]*{/{/g; s/__attribute__ *(([^()]*\(([^()]*)\)*[^()]*))//g' |
	grep -oE '\b(waymark|trace|st)_[a-z_0-9]+ *\(|__thread [^;]*\bwaymark_(cursors|scope_ids|site_depth)|extern const struct [a-z_]+ waymark_[a-z_]+\[' |
	sed 's/.*[*]//; s/.* waymark/waymark/; s/ *[([]//' >"$tmp/names"
# Text backends: the preprocessor makes their declarations from the rows of waymark/backends.def.
echo '#include <waymark/record.h>' | gcc -E -P -I. - | tr '\n' ' ' |
	grep -oE 'void waymark_[a-z_]+\( *const struct waymark_event \*event, const (char \*fmt, \.\.\.|struct waymark_message \*m)\)' |
	sed 's/void //; s/(.*//' >"$tmp/backends"
[ "$(wc -l <"$tmp/backends")" -ge 7 ] || { echo "too few text backends are declared:"; cat "$tmp/backends"; status=1; }
sort -u "$tmp/names" "$tmp/backends" >"$tmp/called"
# Called or declared names that headers define themselves are no symbols.
grep -ohE '(inline|WAYMARK_INLINE|WAYMARK_UNLINKED_INLINE|WAYMARK_DEBUG_MAKER|WAYMARK_DEBUG_INLINE|WAYMARK_SCOPE_INLINE|WAYMARK_SITE_INLINE) .*\b(waymark|trace)_[a-z_0-9]+\(|define +(waymark|trace)_[a-z_0-9]+\(|void waymark_(un)?register_object\(|char \(?&waymark_kind_of\(' \
	$headers waymark/unlinked.h waymark/value.h |
	sed 's/($//; s/.*[ *&]//' | sort -u >"$tmp/inline"
comm -23 "$tmp/called" "$tmp/inline" >"$tmp/declared"
diff "$tmp/declared" "$tmp/exported" >"$tmp/diff" || differs "declared (<) and exported (>) differ"

sed -n 's/^RESERVED(\([a-z_0-9]*\), CONTROL).*/trace_\1/p' "$root/src/model/reserved.def" |
	sort >"$tmp/reserved"
grep '^trace_' "$tmp/exported" | comm -23 - "$tmp/reserved" >"$tmp/diff"
[ ! -s "$tmp/diff" ] || differs "exported, but an event may have that name"

nm -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | grep -vE '^(__odr_asan\.)?waymark_|^st_' | sort -u |
	comm -23 - "$tmp/reserved" >"$tmp/diff"
[ ! -s "$tmp/diff" ] || differs "global in the static library"

readelf -d "$shared" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -vE '^(libc\.so|ld-linux|lib[atu][a-z]*san\.so)' >"$tmp/diff" || true
[ ! -s "$tmp/diff" ] || differs "needed besides libc"
exit $status
