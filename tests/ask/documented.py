#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""documented.py WAYMARK BLOCKCACHE DOCUMENT: every query of docs/sql.md has an answer for a trace of the
example, and those that must have rows have some.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../common"))
from compare import check, finish

waymark, blockcache, document = sys.argv[1:]
# A healthy run loses nothing and fails nowhere; two threads seldom meet at one block.
MAY_BE_EMPTY = ["FROM gaps", "NOT IN (SELECT request", "error != 0", "AS writer"]


def main():
    queries = re.findall(r"```sql\n(.*?)```", pathlib.Path(document).read_text(), re.S)
    check(f"{len(queries)} queries", len(queries) >= 20, True)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "cache.ctf")
        data = os.path.join(folder, "data")
        pathlib.Path(data).write_bytes(bytes(range(256)) * 4096)
        subprocess.run([blockcache, "-trace", f"*,backend=ctf,full=block,file={trace}", "-n", "500", data], check=True,
                       stdout=subprocess.DEVNULL, timeout=60)
        for query in queries:
            told = subprocess.run([waymark, "sql", "--json", trace, query], text=True, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            check(query, (told.returncode, told.stderr), (0, ""))
            if told.returncode == 0 and not any(text in query for text in MAY_BE_EMPTY):
                check(f"{query}: has rows", len(json.loads(told.stdout)) > 0, True)
    finish()


main()
