#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad files and options of blockcache give one clear line and a failure.
. "$(dirname "$0")/common.sh"
make_example "$tmp/build"
cd "$tmp"
: >empty
echo data >data

# refused MESSAGE ARGUMENT...
refused() {
	message=$1
	shift
	if ./build/blockcache "$@" >out 2>err; then
		fail "accepted: $*"
	fi
	grep -qF -- "$message" err || fail "wanted \"$message\" for $*, got: $(cat err)"
}

refused 'nowhere: No such file or directory' nowhere
refused 'not a regular file' .
refused 'not a regular file' /dev/null
refused 'the file is empty' empty
refused 'a FILE is missing'
refused 'one FILE only' data data
refused '--threads=0: a number from 1 to 256 is wanted' --threads 0 data
refused '--requests=many: a number' --requests many data
refused '--write=-1: a number' --write -1 data
refused '--block-size=4: a number' -b 4 data
refused 'lists the options' --nonsense data
refused 'bogus' -trace bogus=1 data
./build/blockcache --help | grep -q -- '--trace' || fail "--help does not name --trace"
./build/blockcache data >out || fail "a file of five bytes is refused"
