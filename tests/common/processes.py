# SPDX-License-Identifier: MIT
"""Waits for the end of processes that are not children of the test."""
import os
import pathlib


def is_alive(pid):
    """Returns True if any of its threads runs. The first thread may have ended, and its memory map
    be missing in /proc, while others still hold files and locks.
    """
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state not in "ZX" or len(os.listdir(f"/proc/{pid}/task")) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False
