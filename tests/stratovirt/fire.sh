# SPDX-License-Identifier: MIT
# Sourced after ../tracetool/lib.sh, with the absolute path of libwaymark in `library`. Skips the test without StratoVirt's
# declarations. build_fire() makes the program `fire` in C, which fires all of their events, and fire.rs in Rust.
if [ ! -d "$data/stratovirt" ]; then
	echo "skipped: $data/stratovirt is not there (set WAYMARK_SHARED)"
	exit 77
fi

build_fire()
{
	for format in h c; do
		"$tracetool" --format=$format --backends=ctf,log --group=strato -o trace.$format \
			--header=trace.h \
			"$data/stratovirt" 2>warnings || fail "tracetool: $format: $(cat warnings)"
	done
	python3 "$root/tests/stratovirt/fire.py" trace.h fire.c fire.rs "$data"/stratovirt/*.toml ||
		fail 'fire.py'
	gcc $tsan $warnings -O1 -I"$include" fire.c trace.c "$library" -o fire || fail 'gcc'
}
