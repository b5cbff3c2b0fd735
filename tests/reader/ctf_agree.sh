#!/bin/sh
# SPDX-License-Identifier: MIT
# babeltrace2 and this reader print the same of every valid trace of make_ctf.py:
# ctf_agree.sh DUMP COMPARE. Runs in a folder of traces.
set -u
dump=$1
compare=$2
python3 "$compare" "$dump" small small-big-endian wrap pieces other-host two-boots || exit $?

# The comparison notices a difference: one byte of a field is enough.
cp -r small changed
python3 - changed/stream-3 <<'END'
import sys
data = bytearray(open(sys.argv[1], "rb").read())
data[88 + 8] ^= 1
open(sys.argv[1], "wb").write(data)
END
cat >other <<'END'
#!/bin/sh
exec "$DUMP" changed
END
chmod +x other
if DUMP=$dump python3 "$compare" ./other small >out; then
	echo "FAILED: a changed field is not seen"
	exit 1
fi
grep -q 'event 1$' out || {
	cat out
	exit 1
}
