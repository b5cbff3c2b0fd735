#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared and the static libwaymark-reader have the functions that waymark/reader.h
# declares, and no other global name: exports.sh HEADER SHARED STATIC
set -eu
header=$1

# same LIBRARY NM-OPTION
same() {
	declared=$(grep -o 'waymark_reader_[a-z0-9_]*(' "$header" | tr -d '(' | sort -u)
	exported=$(nm "$2" --defined-only "$1" | sed -n 's/.* [A-TV-Z] \([^@]*\).*/\1/p' |
		grep -v -e '^WAYMARK_READER_' -e '^__odr_asan' | sort -u)
	if [ "$declared" != "$exported" ]; then
		echo "$1"
		echo "declared:" $declared
		echo "exported:" $exported
		exit 1
	fi
}

same "$2" -D
same "$3" -g
