#!/bin/sh
# SPDX-License-Identifier: MIT
# One object of a whole archive, in which only visible symbols are left to link
# with, so that names such as arena_init are free for the program:
# localize.sh LD OBJCOPY ARCHIVE OBJECT
set -eu
"$1" -r --whole-archive "$3" -o "$4"
"$2" --localize-hidden "$4"
