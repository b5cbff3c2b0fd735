#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests exports with damaged traces, outputs that cannot be written, and wrong options, each with its
message: bad.py WAYMARK PROGRAM DECLARATIONS
"""

import json
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import sys

from common import HERE, WAYMARK, Work, check, export, finish, records, run

STREAMS = ["perfetto", "chrome", "csv", "jsonl", "pprof", "otlp"]
DAMAGED = ["torn", "holes", "lost-behind-damage", "cut-metadata", "bad-event", "torn-header", "out-of-order"]
EVENTS = HERE.parent / "reader/golden/trace-events"


def fails(message, *arguments, status=1):
    error = run("export", *arguments, status=status, errors="replace")[1]
    check(f"message of {arguments}: {error}", message in error, True)


def check_options(trace):
    for message, *arguments in [
            ("there is no format 'perfeto': did you mean 'perfetto'?", "--to=perfeto", trace),
            ("there is no format 'elephant'\n", "--to=elephant", trace),
            ("--to=FORMAT is missing", trace),
            ("the trace is missing", "--to=csv"),
            ("--fields does not go with --to=perfetto", "--to=perfetto", "--fields=a", trace),
            ("--counter does not go with --to=csv", "--to=csv", "--counter=a.b", trace),
            ("'level' is not EVENT.FIELD", "--to=chrome", "--counter=level", trace),
            ("--to=sqlite writes a file: give -o FILE", "--to=sqlite", trace),
            ("the name of a field is missing", "--to=csv", "--fields=a,,b", trace),
            ("is not a regular expression", "--to=csv", "--event=/(/", trace)]:
        fails(message, *arguments, status=2)
    fails("no event has a field 'requst': did you mean 'request'?", "--to=csv", "--fields=requst", trace)
    fails("no event matches 'level' and has a field 'depth'", "--to=chrome", "--counter=level.depth", trace)
    fails("--where", "--to=csv", "--where=nothing_has_it > 1", trace)
    error = run("export", "--to=csv", "--event=submt", trace)[1]
    check("a name near", "did you mean 'submit'?" in error, True)
    fails("cannot open", "--to=csv", "/nonexistent/trace")


def check_outputs(work):
    trace = work.path / "v4"
    before = trace.read_bytes()
    given = work.path / "given"
    shutil.copy(EVENTS, given)
    common = ("--to=csv", "-e", given, "--replace")
    fails("is both the trace and the output", *common, "-o", trace, trace)
    with open(trace, "rb") as stdin:
        done = subprocess.run([WAYMARK, "export", *common, "-o", trace, "-"], stdin=stdin, check=False,
                              capture_output=True, text=True)
    check("standard input is the output", "is both the trace and the output" in done.stderr, True)
    check("the trace", trace.read_bytes(), before)
    fails("is both the declarations and the output", *common, "-o", given, trace)
    check("the declarations", given.read_bytes(), EVENTS.read_bytes())
    fails("would be inside it", *common, "-o", work.trace / "out", work.trace)
    fails("No such file or directory", *common, "-o", work.path / "none/out", trace)
    for form in STREAMS + ["sqlite"]:
        out = work.path / f"out.{form}"
        out.write_text("before")
        fails("exists already; --replace replaces it", f"--to={form}", "-e", given, "-o", out, trace)
        check("it is unchanged", out.read_text(), "before")
        run("export", f"--to={form}", "-e", given, "--replace", "-o", out, trace)
        check("it was replaced", out.read_bytes() != b"before", True)
    check("what is left over", [p.name for p in work.path.iterdir() if ".new-" in p.name or ".old-" in p.name], [])


def limited(*arguments):
    """Runs an export that may write 4 KiB; returns its status and messages."""
    done = subprocess.run([WAYMARK, "export", *map(str, arguments)], capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    return done.returncode, done.stderr


def check_full(work):
    for form in STREAMS:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([WAYMARK, "export", f"--to={form}", work.trace], stdout=full, text=True,
                                  stderr=subprocess.PIPE, check=False)
        check(f"{form} on a full disk: {done.stderr}", (done.returncode, "No space left" in done.stderr), (1, True))
        fails("No space left", f"--to={form}", "-o", "/dev/full", work.trace)
    fails("is not a regular file", "--to=sqlite", "-o", "/dev/full", work.trace)
    for form in "chrome", "sqlite":
        out = work.path / f"limited.{form}"
        status, error = limited(f"--to={form}", "-o", out, work.trace)
        check(f"a limit of {form}: {error}", (status, "cannot write" in error), (1, True))
    check("what is left of it", [p.name for p in work.path.iterdir() if p.name.startswith("limited")], [])
    for form in STREAMS[:4]:
        command = f"'{WAYMARK}' export --to={form} '{work.trace}' | head -c 1 >&2; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
        check(f"a closed pipe of {form}", (done.stdout, len(done.stderr)), (b"0\n", 1))


def check_damaged(work):
    for name in DAMAGED:
        trace = work.path / name
        # Each is read as far as print reads it.
        printed = subprocess.run([WAYMARK, "print", "--json", trace], capture_output=True, text=True, check=False)
        events = sum('"event":' in line for line in printed.stdout.splitlines())
        out = work.path / "damaged.db"
        for form in STREAMS + ["sqlite"]:
            error = run("export", f"--to={form}", "--replace", "-o", out, trace, status=printed.returncode)[1]
            check(f"{form} reports what is wrong with {name}", [line for line in printed.stderr.splitlines()
                  if line.replace("print", "export", 1) not in error], [])
        database = sqlite3.connect(out)
        check(f"events of {name}", database.execute("SELECT count(*) FROM events").fetchone(), (events,))
    error = run("export", "--to=jsonl", "-e", EVENTS, "-o", work.path / "cut", work.path / "truncated", status=1)[1]
    check("a truncated trace", ("ends at byte" in error, len((work.path / "cut").read_text().splitlines())),
          (True, len(records_of(work.path / "truncated"))))


def records_of(trace):
    done = subprocess.run([WAYMARK, "print", "--json", "-e", EVENTS, trace], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def check_undeclared(work):
    """Events without a declaration have their bytes, and an empty trace has no events."""
    trace = work.path / "v4"
    raw = [r["raw"] for r in records(trace) if "raw" in r]
    check("raw events", len(raw) > 0, True)
    chrome = json.loads(export("chrome", trace))["traceEvents"]
    check("chrome", [e["args"]["raw"] for e in chrome if "raw" in e.get("args", {})], raw)
    out = work.path / "raw.db"
    run("export", "--to=sqlite", "-o", out, trace)
    database = sqlite3.connect(out)
    tables = {t for t, in database.execute("SELECT event FROM events")}
    got = [row for t in tables for row in database.execute(f'SELECT rowid, hex(raw) FROM "{t}"')]
    check("sqlite", [h.lower() for _, h in sorted(got)], raw)
    for form in STREAMS:
        export(form, "--event=no_such_event", trace)


def check_empty(work):
    """An output without events, or a profile without scopes, is explained."""
    small = work.path / "small"
    outside = "no selected event is among the 13 records: their times are 20.000000043 to 20.000000139 s"
    for form in STREAMS:
        fails(outside, f"--to={form}", "--since=+100", small, status=0)
    fails("it has no scopes: make them with WAYMARK_SCOPE()", "--to=pprof", small, status=0)
    fails("no scopes are among the selected records", "--to=pprof", "--event=level", work.trace, status=0)
    fails("the profile is empty: no selected scope began and ended", "--to=pprof", "--event=Disk:unfinished",
          work.trace, status=0)
    error = run("export", "--to=pprof", "--event=submt", work.trace, text=True, errors="replace")[1]
    check("one note", error.count("\n"), 1)
    for arguments in ["--to=pprof"], ["--to=csv"], ["--to=csv", "--event=level"]:
        check(f"no note of {arguments}", run("export", *arguments, work.trace, errors="replace")[1], "")


def check_memory(work):
    """Ten times as many events need no more memory."""
    if "WAYMARK_SANITIZER" in os.environ:
        return
    peaks = {}
    for rounds in 4000, 40000:
        trace = work.record(f"rounds-{rounds}", str(rounds))
        for form in STREAMS + ["sqlite"]:
            out = work.path / "memory.out"
            run_one = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); " \
                      "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
            done = subprocess.run([sys.executable, "-c", run_one, WAYMARK, "export", f"--to={form}", "--replace",
                                   "-o", out, trace], check=True, capture_output=True, text=True)
            peaks.setdefault(form, []).append(int(done.stdout))
    for form, (few, many) in peaks.items():
        check(f"KiB of {form}, with more events: {few}, {many}", many - few < 8192, True)


def main():
    work = Work()
    check_options(work.trace)
    check_outputs(work)
    check_full(work)
    check_damaged(work)
    check_undeclared(work)
    check_empty(work)
    check_memory(work)
    check("our own traces are unchanged", pathlib.Path(work.trace / "metadata").exists(), True)
    finish()


if __name__ == "__main__":
    main()
