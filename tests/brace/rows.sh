#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares with rows that Rust's own formatting printed, stored beside the repository.
#	rows.sh ROWS REPOSITORY
file=${WAYMARK_SHARED:-$2/../shared}/data/rust-format.tsv
if [ ! -r "$file" ]; then
	echo "skipped: there is no $file"
	exit 77
fi
"$1" "$file" | tee /dev/stderr | grep -qx '423 of 423 rows'
