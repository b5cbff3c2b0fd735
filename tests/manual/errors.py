#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests errors of every command for bad input: one message, which begins with the command's name
and names the input; the exit status of the manual; no standard output: errors.py ROOT BUILD
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import manual

build = pathlib.Path(sys.argv[2]).resolve()
faults = manual.Faults()
NOBODY = 65534
# A command's arguments besides its input, and its exit status for an invalid command line.
READERS = {"waymark print": "", "waymark info": "", "waymark latency": "--from=a --to=b", "waymark scopes": "", "waymark track": "", "waymark diff": "--b=declared",
           "waymark sql": "", "waymark top": "--once",
           "waymark view": "--no-open", "waymark flamegraph": "", "waymark convert": "-o out", "waymark recover": "", "waymark drain": "--once",
           "simpletrace declared": "", "tracetool --check": ""}
# An empty declaration file declares nothing, which is no error.
CAN_BE_EMPTY = {"tracetool --check"}
BAD_LINE = {"waymark record": 125, "simpletrace": 1, "tracetool": 1}
# Commands that are valid without arguments.
ALONE = {"waymark metrics", "waymark relay", "waymark help", "waymark recover", "waymark ls", "waymark top"}
NAMES = {"tracetool": "Error"}


class Place:
    def __init__(self, folder):
        self.folder = folder
        for command in ("waymark", "simpletrace", "tracetool"):
            shutil.copy(build / "src/cmd" / command, folder)
        (folder / "declared").write_text("an_event(int x) \"x %d\"\n")
        (folder / "empty").touch()
        (folder / "directory").mkdir()
        (folder / "secret").write_bytes(bytes(64))
        (folder / "secret").chmod(0)
        folder.chmod(0o755)
        self.env = {**os.environ, "WAYMARK_SHM": str(folder), "XDG_RUNTIME_DIR": str(folder), "LC_ALL": "C"}
        self.env.pop("WAYMARK_TRACE", None)

    def run(self, command, user=None):
        words = command.split()
        return subprocess.run([self.folder / words[0], *words[1:]], cwd=self.folder, env=self.env, user=user,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)


def name_of(command):
    words = command.split()
    name = " ".join(words[:2]) if words[0] == "waymark" and len(words) > 1 and words[1][0] != "-" else words[0]
    return NAMES.get(name, name)


def check(place, command, status, told=None, lines=1, user=None):
    done = place.run(command, user)
    said = done.stderr.splitlines()
    faults.check(done.returncode == status, f"{command}: exit status {done.returncode}, not {status}: {done.stderr}")
    faults.check(not done.stdout, f"{command}: prints {done.stdout!r}")
    faults.check(said and said[0].startswith(name_of(command) + ": "), f"{command}: says {said[:1]}")
    faults.check(len(said) <= lines, f"{command}: {len(said)} lines: {done.stderr}")
    faults.check(told is None or said and told in said[0], f"{command}: does not name {told}: {said[:1]}")


def check_input(place, command, more):
    for name in ("missing", "directory", "empty", "secret"):
        if name == "empty" and command in CAN_BE_EMPTY:
            continue
        # root may read every file
        user = NOBODY if name == "secret" and os.geteuid() == 0 else None
        check(place, f"{command} {more} {name}", 1, name, user=user)


def check_line(place, command):
    """A senseless command line: the reason, the usage, and a hint to the help."""
    status = BAD_LINE.get(command, 2)
    check(place, f"{command} --no-such-option", status, "--no-such-option", 3)
    if command not in ALONE:
        done = place.run(command)
        faults.check(done.returncode == status, f"{command} without arguments: exit status {done.returncode}")
        faults.check(f"try '{command} --help'" in done.stderr.lower(), f"{command} without arguments: {done.stderr}")


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
    try:
        place = Place(folder)
        commands = re.findall(r"^  ([a-z]+) ", place.run("waymark --help").stdout.split("\ncommands:\n")[1], re.M)
        for command, more in READERS.items():
            check_input(place, command, more)
        for command in ["waymark", "simpletrace", "tracetool", *[f"waymark {c}" for c in commands]]:
            check_line(place, command)
        for command in ("record ./missing", "ctl missing list", "attach missing x"):
            check(place, f"waymark {command}", 127 if "record" in command else 1, "missing")
        check(place, "waymark record ./directory", 126, "directory")
        check(place, "waymark record ./declared", 126, "declared")
        faults.check(len(commands) > 10, f"the commands are {commands}")
    finally:
        shutil.rmtree(folder)
    faults.end(250)


main()
