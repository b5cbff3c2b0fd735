#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that vim recognizes files of declarations by their names and highlights them: vim.py ROOT"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import sample

root = pathlib.Path(sys.argv[1]).resolve()
CLASSES = {"traceEventsComment": "comment", "traceEventsMeaning": "meaning", "traceEventsProperty": "property", "traceEventsName": "name",
           "traceEventsType": "type", "traceEventsStruct": "type", "traceEventsFormat": "text",
           "traceEventsHole": "hole", "traceEventsMacro": "macro", "traceEventsArguments": ""}
# An invalid conversion is highlighted as an error.
WRONG = 'wrong(int a) "%n"\n'


def vim(commands, path):
    return subprocess.run(["vim", "-es", "-N", "-u", "NONE", "-i", "NONE", "--cmd",
                           f"set runtimepath^={root}/packaging/vim", "-c", "filetype plugin on", "-c", "syntax on",
                           "-c", f"edit {path}", *[a for c in commands for a in ("-c", c)], "-c", "quitall!"],
                          capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)


def main():
    if not shutil.which("vim") or "+syntax" not in subprocess.run(
            ["vim", "--version"], capture_output=True, text=True).stdout:
        print("skipped: no vim that highlights: vim-tiny has no syntax")
        sys.exit(77)
    faults = 0
    with tempfile.TemporaryDirectory(prefix="waymark-test-") as folder:
        out = pathlib.Path(folder, "out")
        for name, wanted in (("trace-events", "trace-events"), ("trace-events-all", "trace-events"),
                             ("block.trace-events", "trace-events"), ("trace-events.c", "c")):
            path = pathlib.Path(folder, name)
            sample.write(path)
            vim([f"call writefile([&filetype, &commentstring], '{out}')"], path)
            said = out.read_text().split("\n")
            if said[0] != wanted or wanted == "trace-events" and said[1] != "# %s":
                print(f"{name} is {said}")
                faults += 1
        places = str([[line, column] for line, column, _, _ in sample.places()])
        vim([f"call writefile(map({places}, 'synIDattr(synID(v:val[0], v:val[1], 1), \"name\")'), '{out}')"],
            pathlib.Path(folder, "trace-events"))
        faults += sample.compare("vim", out.read_text().split("\n")[:-1], CLASSES)
        pathlib.Path(folder, "trace-events").write_text(WRONG)
        vim([f"call writefile([synIDattr(synIDtrans(synID(1, 15, 1)), 'name')], '{out}')"],
            pathlib.Path(folder, "trace-events"))
        if out.read_text() != "Error\n":
            print(f"%n is {out.read_text()}")
            faults += 1
    sys.exit(faults > 0)


main()
