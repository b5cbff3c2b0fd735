#!/bin/sh
# SPDX-License-Identifier: MIT
# The C files have the layout of .clang-format: style.sh ROOT
set -eu
cd "$1"
if ! command -v clang-format-14 >/dev/null; then
	echo "clang-format-14 is not installed"
	exit 77
fi
find src include tests examples bench -path '*golden*' -prune -o -name '*.[ch]' -print0 |
	xargs -0 clang-format-14 --dry-run -Werror
