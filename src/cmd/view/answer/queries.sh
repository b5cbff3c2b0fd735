#!/bin/sh
# SPDX-License-Identifier: MIT
# The queries of a document as a table in C: each block of SQL, with the line before it as its title
# and the heading above it as its group.
set -eu
echo '/* SPDX-License-Identifier: MIT */'
echo '#include "cmd/view/answer/queries.h"'
echo 'const struct view_query view_queries[] = {'
sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' "$1" | awk '
	/^## / { group = substr($0, 4) }
	/^```sql$/ { sub(/:$/, "", title); printf "{ \"%s\", \"%s\",", group, title; inside = 1; next }
	inside && /^```$/ { print " },"; inside = 0; next }
	inside { printf "%s\"%s\"", lines++ ? "\n\"\\n\" " : "\n", $0; next }
	{ lines = 0 }
	NF { title = $0 }'
echo '{ 0, 0, 0 } };'
