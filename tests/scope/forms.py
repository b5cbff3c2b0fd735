#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests records of scopes of every form: forms.py WAYMARK FORMS.

A record is shown as `<name> <scope> <other arguments>`. Scopes are numbered by their ids, s0, s1
if synchronous and a0, a1 if asynchronous; threads by their first events, t0, t1.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

WAYMARK, FORMS = map(os.path.realpath, sys.argv[1:3])
FIRST_SYNC = 1 << 32
FIRST_ASYNC = -(1 << 31)

EXPECTED = {
    "blocks": [
        "reserve s0 1", "init_ram s1", "play_buffer s2 0 7", "play_buffer_end s2 t0",
        "play_buffer s3 1 7", 'render s4 text', "render_end s4 t0", "play_buffer_end s3 t0",
        "init_ram_end s1 t0", "reserve_end s0 t0",
    ],
    "hand": ["reserve s0 2", "reserve_end s0 t0"],
    "elsewhere": ["render a0 first", "init_ram a1", "t1: render_end a0 t0", "init_ram_end a1 t0"],
    "off": ["play_buffer a0 -1 0", "reserve s0 4", "play_buffer_end a0 t0", "reserve_end s0 t0"],
}

# As text; <a0> is the first asynchronous id. The end of a synchronous scope has no text.
PRINTED = {
    "blocks": [
        "[SCOPE_START][reserve] reserve 0x1 bytes", "[SCOPE_START][init_ram] ",
        "[SCOPE_START][play_buffer] 0 bytes, 7 left", "[SCOPE_END]",
        "[SCOPE_START][play_buffer] 1 bytes, 7 left", '[SCOPE_START][render] data "text"',
        "[SCOPE_END]", "[SCOPE_END]", "[SCOPE_END]", "[SCOPE_END]",
    ],
    "elsewhere": [
        '[SCOPE_START(id=<a0>)][render] data "first"', "[SCOPE_START(id=<a1>)][init_ram] ",
        '[SCOPE_END(id=<a0>)][render] data "first"', "[SCOPE_END(id=<a1>)][init_ram] ",
    ],
}


def records(folder):
    """Returns the records of all traces in the folder, by process."""
    found = {}
    for trace in glob.glob(os.path.join(folder, "trace*")):
        text = subprocess.run([WAYMARK, "print", "--json", trace], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        for record in map(json.loads, text.splitlines()):
            found.setdefault(record["pid"], []).append(record)
    return found


def run(form, **more):
    """Runs the program; returns (its pid, {pid: records})."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,file={folder}/trace", **more)
        process = subprocess.Popen([FORMS, form], env=environment)
        assert process.wait(timeout=60) == 0, form
        return process.pid, records(folder)


def shown(trace):
    """Returns the records in the form of EXPECTED."""
    ids = sorted({r["args"]["scope"] for r in trace})
    names = {i: f"s{n}" for n, i in enumerate(i for i in ids if i >= FIRST_SYNC)}
    names.update({i: f"a{n}" for n, i in enumerate(i for i in ids if i < FIRST_SYNC)})
    for i, name in names.items():
        assert name[0] == "s" or i == FIRST_ASYNC + int(name[1:]), i
    tids = {}
    lines = []
    for record in trace:
        args = dict(record["args"])
        tid = tids.setdefault(record["tid"], f"t{len(tids)}")
        scope = names[args.pop("scope")]
        if "scope_tid" in args:
            args["scope_tid"] = tids[args["scope_tid"]]
        words = [record["event"], scope] + [str(v) for v in args.values()]
        lines.append(("" if tid == "t0" else f"{tid}: ") + " ".join(words))
    return lines


def printed(form):
    """Returns the lines of the backend log for a form."""
    environment = dict(os.environ, WAYMARK_TRACE="*,backend=log,log.prefix=none",
                       WAYMARK_LOG_LEVEL="trace")
    text = subprocess.run([FORMS, form], env=environment, check=True, text=True,
                          stderr=subprocess.PIPE, timeout=60).stderr
    for number in range(2):
        text = text.replace(f"id={FIRST_ASYNC + number})", f"id=<a{number}>)")
    return text.splitlines()


def check(what, found, wanted):
    if found == wanted:
        return 0
    print(f"{what}:", *found, "is not", *wanted, sep="\n  ")
    return 1


def check_fork(form):
    """Scopes begun before a fork end in both processes, each in that process's own thread."""
    # LeakSanitizer needs locks that the child may have copied while they were held.
    parent, traces = run(form, LSAN_OPTIONS="detect_leaks=0")
    (child,) = set(traces) - {parent}
    bad = check(f"{form}, parent", shown(traces[parent]),
                ["reserve s0 %d" % (6 if form == "clone" else 5), "init_ram s1",
                 "init_ram_end s1 t0", "reserve_end s0 t0"])
    bad += check(f"{form}, child", shown(traces[child]),
                 ["init_ram s1", "init_ram_end s1 t0", "reserve_end s0 t0"])
    tids = {r["args"].get("scope_tid", child) for r in traces[child]}
    return bad + check(f"{form}, threads of the child", list(tids), [child])


failures = 0
for name, lines in EXPECTED.items():
    pid, recorded = run(name)
    failures += check(name, shown(recorded.get(pid, [])), lines)
for name, lines in PRINTED.items():
    failures += check(f"{name}, printed", printed(name), lines)
failures += check_fork("fork") + check_fork("clone")
print(f"{failures} failures")
sys.exit(failures > 0)
