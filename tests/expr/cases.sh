#!/bin/sh
# SPDX-License-Identifier: MIT
# Evaluates each expression of cases.txt and compares the values and errors: cases.sh EXPR-EVAL FOLDER [--update]
set -u
evaluate()
{
	grep -v '^#' "$2/cases.txt" | while IFS= read -r expression; do
		printf '%s\n    %s\n' "$expression" \
			"$(printf '%s\t%s\n' '-5 65536 2.5 1 12000 virtio0' "$expression" | "$1")"
	done
}

if [ "${3-}" = --update ]; then
	evaluate "$1" "$2" >"$2/cases.expected"
	exit
fi
evaluate "$1" "$2" | diff "$2/cases.expected" -
