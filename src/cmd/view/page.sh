#!/bin/sh
# SPDX-License-Identifier: MIT
# The files of the page as C: the lines of each in an array, and the table of all: FILE...
set -eu
echo '/* SPDX-License-Identifier: MIT */'
echo '#include "cmd/view/view.h"'
for file in "$@"; do
	name=$(basename "$file" | tr . _)
	echo "static const char *const $name[] = {"
	sed -e '/^[[:space:]]*\/\//d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/??/?\\?/g' -e 's/^.*$/"&\\n",/' "$file"
	echo '0 };'
done
echo 'const struct view_file view_files[] = {'
for file in "$@"; do
	base=$(basename "$file")
	name=$(echo "$base" | tr . _)
	case $base in
	index.html) echo "{ \"/\", \"text/html; charset=utf-8\", $name }," ;;
	*.css) echo "{ \"/$base\", \"text/css; charset=utf-8\", $name }," ;;
	*.js) echo "{ \"/$base\", \"text/javascript; charset=utf-8\", $name }," ;;
	esac
done
echo '{ 0, 0, 0 } };'
