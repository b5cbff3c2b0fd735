#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that protoc reads exports by the declarations of their formats: protoc.py WAYMARK PROGRAM

$WAYMARK_PERFETTO is a directory with Perfetto's sources, or at least with its folder protos: they are
not part of this repository.
"""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys

from common import Work, check, export, finish, records, split

TRACE = ("protos/perfetto/trace/perfetto_trace.proto", "perfetto.protos.Trace")
PROFILE = ("protos/third_party/pprof/profile.proto", "perfetto.third_party.perftools.profiles.Profile")


def decode(sources, declared, data):
    """Returns the text of a message; every field must be declared with the type that it has."""
    path = sources / declared[0]
    done = subprocess.run(["protoc", f"-I{path.parent}", f"--decode={declared[1]}", path.name], input=data,
                          capture_output=True, check=False)
    check(f"protoc: {done.stderr[-300:]}", done.returncode, 0)
    text = done.stdout.decode()
    check("fields that are not declared", re.findall(r"^ *\d+[ :].*$", text, re.M)[:5], [])
    return text


def check_trace(sources, paths):
    text = decode(sources, TRACE, export("perfetto", *paths))
    scopes, events, gaps = split(records(*paths))
    kinds = {kind: text.count(f"type: TYPE_{kind}\n") for kind in ("SLICE_BEGIN", "SLICE_END", "INSTANT")}
    again = len(re.findall(r'name: "continued"', text))
    check(f"events of {paths}", kinds, {
        "SLICE_BEGIN": len(scopes) + again, "INSTANT": len(events) + len(gaps),
        "SLICE_END": sum(s.end is not None for s in scopes) + again})
    return text


def main():
    sources = pathlib.Path(os.environ.get("WAYMARK_PERFETTO", "/nonexistent"))
    if not (sources / TRACE[0]).exists() or not shutil.which("protoc"):
        print(f"skipped: it needs protoc and Perfetto's {TRACE[0]}: set WAYMARK_PERFETTO")
        sys.exit(77)
    work = Work()
    text = check_trace(sources, [work.trace])
    check("a clock", "primary_trace_clock: BUILTIN_CLOCK_MONOTONIC" in text, True)
    for wanted in 'string_value: "direct|sync"', "pointer_value: 18446603336221196289", \
            "int_value: -128", "uint_value: 18446744073709551615", "bool_value: true", \
            'process_name: "export-program"', "terminating_flow_ids: ":
        check(wanted, wanted in text, True)
    for paths in work.all():
        check_trace(sources, paths)
    if (sources / PROFILE[0]).exists():
        text = decode(sources, PROFILE, gzip.decompress(export("pprof", work.trace)))
        check("samples", text.count("sample {") > 5, True)
    finish()


if __name__ == "__main__":
    main()
