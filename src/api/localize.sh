#!/bin/sh
# SPDX-License-Identifier: MIT
# One object of a whole archive, in which only visible symbols are left to link
# with, so that names such as arena_init are free for the program; the builder of
# waymark/debug.h, which is the runtime's for programs, too. The linker may have options:
# localize.sh OBJCOPY ARCHIVE OBJECT LD [OPTION...]
set -eu
objcopy=$1 archive=$2 object=$3
shift 3
"$@" -r --whole-archive "$archive" -o "$object"
"$objcopy" --localize-hidden --wildcard --localize-symbol='waymark_debug_*' "$object"
