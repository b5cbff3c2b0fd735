#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that results are added up correctly, and that the documentation shows all of them: results.py ROOT"""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.pop(0)  # this folder has modules with the same names as tools
sys.path.insert(0, str(ROOT / "tools"))

import long_results
import results

LINE = {"date": "2026-01-02", "commit": "abc", "machine": "M", "run": "kills", "seconds": 5,
        "counts": "turns 3", "verdict": "passed"}


def tool(name):
    """Imports a program of tools as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Results(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, "results")

    def add(self, **more):
        long_results.add(self.file, {**LINE, **more})
        return long_results.read(self.file)

    def test_a_line_is_read_as_it_was_written(self):
        self.assertEqual(self.add(), [LINE])
        self.assertEqual(len(self.add()), 2)

    def test_what_fuzzers_do_with_the_same_sources_adds_up(self):
        self.add(run="fuzz x", counts="inputs 10, kept 4", seconds=600)
        self.add(run="fuzz y", counts="inputs 1, kept 1")
        rows = self.add(run="fuzz x", counts="inputs 5, kept 6", seconds=60, date="2026-01-03")
        self.assertEqual([row["run"] for row in rows], ["fuzz y", "fuzz x"])
        self.assertEqual((rows[1]["counts"], rows[1]["seconds"]), ("inputs 15, kept 6", 660))
        self.assertEqual(len(self.add(run="fuzz x", counts="inputs 1, kept 1", commit="def")), 3)
        self.assertEqual(long_results.seconds_of(self.file, "fuzz x", "abc"), 660)

    def test_a_finding_is_not_forgotten(self):
        self.add(run="fuzz x", counts="inputs 0, kept 4", verdict="failed: exit 1")
        rows = self.add(run="fuzz x", counts="inputs 9, kept 4")
        self.assertEqual(rows[0]["verdict"], "failed: exit 1")

    def test_the_table_has_the_last_of_each(self):
        self.add()
        rows = long_results.table(self.add(seconds=7200, verdict="failed: exit 1")).splitlines()
        self.assertEqual(rows[2], "| kills: random kills | 2026-01-02 | abc | M | 2 h | turns 3 "
                                  "| failed: exit 1 |")
        self.assertRegex(rows[3], r"^\| threads: .* \| not run yet \|$")
        self.assertIn("fuzz: every fuzzer", rows[-1])

    def test_blocks(self):
        text = "a\n<!-- n: begin -->\nold\n<!-- n: end -->\nb\n"
        new = results.with_block(text, "n", "new\n")
        self.assertEqual(new, "a\n<!-- n: begin -->\n\nnew\n\n<!-- n: end -->\nb\n")
        self.assertEqual(results.with_block(new, "n", "new"), new)
        with self.assertRaises(ValueError):
            results.with_block(text, "other", "")

    @unittest.skipUnless(results.git("ls-files"), "this is no repository")
    def test_a_fuzzers_time_is_that_of_the_files_it_is_built_from(self):
        files = tool("long-runs").sources_of(
            [f"{ROOT}/tests/fuzz/fuzz.sh", str(ROOT), "tree", "brace/tree.c", "-lm"])
        self.assertLess({"tests/fuzz/fuzz.sh", "tests/fuzz/fuzz_tree.c", "src/brace/tree.c",
                         "src/brace/tree.h"}, set(files))
        self.assertEqual([name for name in files if "/rt/" in name or name.startswith("build")], [])

    def test_what_benchmarks_print_is_shown_as_it_was_printed(self):
        bench = tool("bench")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            shown = [bench.run({"name": "n", "env": {}, "workdir": "/", "cmd": ["sh", "-c", script]},
                               None) for script in ("echo 5 ns", "printf '\\n### T\\n\\n| a |\\n'",
                                                    "echo not there; exit 77", "echo 1; exit 3")]
        self.assertEqual(shown, ["\n## n\n\n```\n5 ns\n```\n", "\n## n\n\n\n### T\n\n| a |\n",
                                 "\n## n\n\n```\nnot there\n```\n", None])
        self.assertIn("n: exit 3", said.getvalue())

    def test_the_documentation_shows_what_is_there(self):
        shown = long_results.SHOWN.read_text()
        table = long_results.table(long_results.read(long_results.FILE))
        self.assertEqual(results.with_block(shown, long_results.BLOCK, table), shown,
                         "tools/long-runs writes the table")
        benchmarks = (ROOT / "bench/RESULTS.md").read_text()
        results.with_block(benchmarks, "results", "")


unittest.main()
