# SPDX-License-Identifier: MIT
"""Runs of the command that sys.argv[1] names, traces of programs, and the frames of its JSON."""
import os
import subprocess
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check  # noqa: E402

WAYMARK = os.path.realpath(sys.argv[1])


def run(*arguments, status=0):
    """Returns the standard output and standard error."""
    done = subprocess.run([WAYMARK, *arguments], timeout=60, capture_output=True, text=True)
    check(" ".join(arguments), done.returncode, status)
    return done.stdout, done.stderr


def record(trace, *program, options=""):
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,file={trace}{options}")
    subprocess.run(program, env=environment, check=True, timeout=60, stdout=subprocess.DEVNULL)
    return trace


def walk(frame, path=()):
    """Yields the path of each frame below this one, and the frame."""
    path += (frame["name"],)
    yield path[1:], frame
    for child in frame["children"]:
        yield from walk(child, path)
