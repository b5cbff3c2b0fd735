#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that a million different stacks are drawn in bounded time, memory and file size: many.py PICTURE"""

import os
import resource
import subprocess
import sys
import time

tsan = os.environ.get("WAYMARK_SANITIZER") == "thread"  # includes TSan's time and memory
patience = 200 if tsan else 120
begun = time.monotonic()
run = subprocess.run([sys.argv[1], "many"], capture_output=True, timeout=patience, check=True)
seconds = time.monotonic() - begun
megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
size = len(run.stdout) / 1e6
print(f"{run.stderr.decode().strip()}; {seconds:.1f} s, {megabytes:.0f} MB of memory, {size:.1f} MB of SVG")
assert megabytes < 1024 or tsan, "more than a gigabyte"
# At most 12 000 frames per row, each a tenth of a pixel wide and some 500 bytes long; six rows.
assert size < 36, "more than what can be seen"
