#!/bin/sh
# SPDX-License-Identifier: MIT
# One object of a whole archive, in which only visible symbols are left to link
# with, so that names such as arena_init are free for the program; the builder of
# waymark/debug.h, which is the runtime's for programs, too:
# localize.sh LD OBJCOPY ARCHIVE OBJECT
set -eu
"$1" -r --whole-archive "$3" -o "$4"
"$2" --localize-hidden --wildcard --localize-symbol='waymark_debug_*' "$4"
