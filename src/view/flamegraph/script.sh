#!/bin/sh
# SPDX-License-Identifier: MIT
# A script as C: its lines in an array, without those that are comments: SCRIPT
set -eu
echo '/* SPDX-License-Identifier: MIT */'
echo 'extern const char *const flamegraph_script[];'
echo 'const char *const flamegraph_script[] = {'
sed -e '/^[[:space:]]*\/\//d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^.*$/"&\\n",/' "$1"
echo '0 };'
