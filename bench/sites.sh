#!/bin/sh
# SPDX-License-Identifier: MIT
# Declares the 2048 events of sites.c: site_0000 to site_3777, in octal digits.
set -eu
for a in 0 1 2 3; do
	for b in 0 1 2 3 4 5 6 7; do
		for c in 0 1 2 3 4 5 6 7; do
			for d in 0 1 2 3 4 5 6 7; do
				echo "site_$a$b$c$d(uint64_t value) \"value %\" PRIu64"
			done
		done
	done
done
