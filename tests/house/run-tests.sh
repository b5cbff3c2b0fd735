#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/run-tests ends with the counts, prints why tests were skipped and the output of failed
# ones, and fails if a test failed, or was skipped but must run: run-tests.sh ROOT
set -eu
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

cat >"$tmp/meson.build" <<'END'
project('sample')
sh = find_program('sh')
test('passes', sh, args: ['-c', 'true'])
test('is skipped', sh, args: ['-c', 'echo the moon is down; exit 77'])
test('fails', sh, args: ['-c', 'echo wanted 1, got 2; exit 3'], suite: 'bad')
END
export WAYMARK_STRICT=0 WAYMARK_SKIPS="$tmp/skips"
: >"$tmp/skips"
meson setup "$tmp/build" "$tmp" >/dev/null

fail() {
	echo "$1:"
	cat "$tmp/out"
	exit 1
}

if "$root/tools/run-tests" "$tmp/build" >"$tmp/out" 2>&1; then
	fail "a failure went unnoticed"
fi
[ "$(tail -n 1 "$tmp/out")" = "1 passed, 1 failed, 1 skipped" ] || fail "wrong closing line"
grep -q 'skipped: is skipped: the moon is down' "$tmp/out" || fail "no reason of the skipped test"
grep -q 'FAILED: fails' "$tmp/out" || fail "the failed test is not named"
grep -q 'wanted 1, got 2' "$tmp/out" || fail "no output of the failed test"

"$root/tools/run-tests" "$tmp/build" --no-suite bad >"$tmp/out" 2>&1 || fail "failed without failures"
[ "$(tail -n 1 "$tmp/out")" = "1 passed, 0 failed, 1 skipped" ] || fail "wrong closing line"

# In strict mode a skipped test is a failure unless the list names it.
export WAYMARK_STRICT=1
strict() # WANTED-EXIT
{
	code=0
	"$root/tools/run-tests" "$tmp/build" --no-suite bad >"$tmp/out" 2>&1 || code=$?
	[ "$code" -eq "$1" ] || fail "exit $code, not $1"
}
strict 1
grep -q 'FAILED: is skipped: skipped, and tests/skips does not name it' "$tmp/out" ||
	fail "the test that must not be skipped is not named"
[ "$(tail -n 1 "$tmp/out")" = "1 passed, 0 failed, 1 skipped" ] || fail "wrong closing line"
echo 'another | always | it is another' >"$tmp/skips"
strict 1
printf '# why\n\nis skipped | always | the moon rises late\n' >"$tmp/skips"
strict 0
echo 'is* | always | a pattern' >"$tmp/skips"
strict 0
echo 'is skipped | no-data | it reads what is not here' >"$tmp/skips"
WAYMARK_SHARED=$tmp/none strict 0
mkdir -p "$tmp/shared/data"
WAYMARK_SHARED=$tmp/shared strict 1
printf 'is skipped | always | the moon rises late\n' >"$tmp/skips"
strict 0
grep -q 'skipped: is skipped: the moon is down' "$tmp/out" || fail "no reason of the skipped test"
echo 'is skipped | sometimes | for no reason' >"$tmp/skips"
strict 1
grep -q 'skips:1: error: write NAME | always or no-mounts or no-tracefs or no-data | WHY' "$tmp/out" || fail "a bad row passes"
unset WAYMARK_SKIPS WAYMARK_STRICT
python3 - "$root/tools/run-tests" <<'END'
import importlib.machinery, importlib.util, os, sys
loader = importlib.machinery.SourceFileLoader("run_tests", sys.argv[1])
sys.dont_write_bytecode = True
tests = importlib.util.module_from_spec(importlib.util.spec_from_loader("run_tests", loader))
loader.exec_module(tests)
tests.allowed_skips()  # the committed list is valid
for said, wanted in (
        ("", "no reason given"), ("a\nno moon\n", "no moon"), ("skipped: no moon\nOK (skipped=1)\n", "no moon"),
        ("skipped: no moon\nskipped: no sun\nOK\n", "no moon; no sun")):
    assert tests.reason_of({"stdout": said}) == wanted, said
for debian, user, sanitizer, wanted in (
        (True, 0, "", True), (True, 1000, "", False), (False, 0, "", False), (True, 0, "thread", False)):
    tests.is_debian_12 = lambda debian=debian: debian
    os.geteuid = lambda user=user: user
    os.environ["WAYMARK_SANITIZER"] = sanitizer
    assert tests.is_strict() is wanted, (debian, user, sanitizer)
END

# meson ends in the middle of a line of its log.
mkdir "$tmp/bin"
cat >"$tmp/bin/meson" <<'END'
#!/bin/sh
printf '{"name": "sample:passes", "result": "OK"}\n{"na' >"$3/meson-logs/testlog.json"
exit 1
END
chmod +x "$tmp/bin/meson"
PATH=$tmp/bin:$PATH strict 1
grep -q 'testlog.json:2: meson was ended here$' "$tmp/out" || fail "a cut log is not told"
[ "$(tail -n 1 "$tmp/out")" = "1 passed, 0 failed, 0 skipped" ] || fail "wrong closing line"
