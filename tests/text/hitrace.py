#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the backend hitrace with a library that logs its calls:

hitrace.py PROGRAM STATIC LIBRARY LIBRARY_THAT_LACKS_ONE
"""
import os
import sys
import tempfile

from common import check, run, run_tests

PROGRAM, STATIC, WHOLE, LACKING = map(os.path.abspath, sys.argv[1:5])
ALL = "*,backend=hitrace"


def calls(*actions, library=WHOLE, program=PROGRAM, trace=ALL):
    """Returns the calls that the library received, and standard error."""
    with tempfile.TemporaryDirectory() as directory:
        path = directory + "/calls"
        if library:
            os.symlink(library, directory + "/libhitrace_meter.so")
        before = os.environ.get("LD_LIBRARY_PATH")
        _, said = run(program, *actions, trace=trace, HITRACE_CALLS=path,
                      LD_LIBRARY_PATH=directory + (":" + before if before else ""))
        if not os.path.exists(path):
            return None, said
        with open(path) as f:
            return f.read().splitlines(), said


def expect(found, wanted):
    check(found == wanted, "\n found", found, "\nwanted", wanted)


SCOPES = ["loaded", "start 2048 [cursor] ", 'start 2048 [frame] fd 5 | "x"', "finish 2048",
          "finish 2048", 'start async 2048 -7 [frame] fd 5 | "x"',
          'finish async 2048 -7 [frame] fd 5 | "x"']


def test_scopes_are_calls():
    expect(calls("scopes=-7"), (SCOPES, ""))


def test_events_are_not():
    expect(calls("texts", "lines", "formats"), (["loaded"], ""))


def test_long_text_is_cut():
    found, said = calls("long-scope=5000")
    text = found[1].split(" ", 4)[4]
    check(len(text) == 512 and text.startswith("[frame] xxx") and text.endswith("xxx..."), text)
    expect(said, "")


def test_children_go_on():
    found, _ = calls("child")
    expect(found, [s.replace("-7", "-1") for s in SCOPES])


def test_library_is_loaded_for_the_first_scope_that_is_on():
    expect(calls("texts", trace="request,backend=log")[0], None)
    expect(calls("scopes=1", trace="cursor,backend=log")[0], None)
    for on in "on", "on-named":
        expect(calls("texts", on + "=0", trace="log.prefix=none")[0], None)
        found, _ = calls("scopes=1", on + "=1", "scopes=2", on + "=1", trace="log.prefix=none")
        expect(found, ["loaded", "start 2048 [cursor] ", "finish 2048"])


def test_without_library_the_rest_goes_on():
    text, said = run(PROGRAM, "scopes=1", "on=1", trace="*,log.prefix=none,backend=hitrace+log")
    check(text.startswith("[SCOPE_START][cursor] \n"), text)
    check(said.startswith("waymark: hitrace: libhitrace_meter.so: ") and said.count("\n") == 1
          and said.endswith("; the backend hitrace does nothing\n"), said)


def test_function_that_is_missing_is_named():
    expect(calls("scopes=1", library=LACKING),
           (["loaded"], "waymark: hitrace: libhitrace_meter.so has no FinishAsyncTraceWrapper(); "
            "the backend hitrace does nothing\n"))


def test_program_with_the_runtime_in_it_loads_nothing():
    expect(calls("scopes=1", program=STATIC),
           (None, "waymark: hitrace: a static libwaymark cannot load the library; "
            "the backend hitrace does nothing\n"))


run_tests(dict(globals()))
