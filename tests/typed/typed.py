#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests values of every class of TOML's types, recorded and read: typed.py FIRE WAYMARK TOML
TEST_VALUES CALLS

The expected values in this file were computed by hand and by Python.
"""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

FIRE, WAYMARK, TOML, TEST_VALUES, CALLS = (os.path.abspath(a) for a in sys.argv[1:6])


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


# Name, message, arguments in JSON, the cut arguments.
EVENTS = [
    ("t_ints", "200 -5 0xabcd 00be ff -9223372036854775808 true",
     {"a": 200, "b": -5, "c": 0xabcd, "d": 0xbe, "e": -1, "f": -2**63, "g": True}, []),
    ("t_floats", "0.1 1e21     2.67 1.5e3", {"a": 0.1, "b": 1e21, "c": 2.675, "d": 1500.0}, []),
    ("t_floats", "-inf NaN    -0.00 1e-7", {"a": None, "b": None, "c": -0.0, "d": 1e-7}, []),
    ("t_wide", f"{2**128 - 1} {0x123456789abcdef001:#x} -7",
     {"a": 2**128 - 1, "b": 0x123456789abcdef001, "c": -7}, []),
    ("t_text", r'plain \x1b[1m "\"q\" \n café"    abc|end',
     {"a": "plain \x1b[1m", "b": '"q" \n café', "c": "abc", "s": "end"}, []),
    ("t_text", 'cut... "cut"...       |x', {"a": "cut", "b": "cut", "c": "", "s": "x"},
     ["a", "b"]),
    ("t_bytes", "[0, 10, 255] [00, 0a, ff]...", {"a": "000aff", "b": "000aff"}, ["b"]),
    ("t_debug", "255 fffe true", {"a": 255, "b": -2, "c": True}, []),
    ("t_debug", r"""'A' deadbeefcafe "a \"b\"" """.rstrip(),
     {"a": "A", "b": 0xdeadbeefcafe, "c": 'a "b"'}, []),
    ("t_debug", f"{2**64} {'f' * 32} [1, 2]", {"a": 2**64, "b": -1, "c": "0102"}, []),
    ("t_debug", "1.0 0.25 0x7f00", {"a": 1.0, "b": 0.25, "c": "0x7f00"}, []),
    ("t_debug", '"cu"... 4d 7', {"a": "cu", "b": 77, "c": 7}, ["a"]),
    ("t_names", "9 X 8 -3 7", {"x_size": 9, "x": "X", "x_length": 8, "y": -3, "y_kind": 7}, []),
    ("t_escapes", '{} "quoted" \\ */ tab\there\\nline s', {"a": "s"}, []),
    ("t_empty", "", {}, []),
    ("t_scope", "step 3 scope=-2", {"scope": -2, "step": 3}, []),
    ("t_scope_end", "scope=-2 scope_tid=4242", {"scope": -2, "scope_tid": 4242}, []),
]

# The text of an object's callback, which only generated code records.
REQUEST = r'Request { sector: 4096, name: "disk \"a\"" }'
OBJECTS = ("t_objects", REQUEST + r' Request {\n    sector: 4096,\n    name: "disk \"a\"",\n}')

BY_HAND = {"babeltrace2": [
    "a = 200, b = -5, c = 43981, d = 190, e = -1, f = -9223372036854775808, g = 1",
    "a = 0.1, b = 1e+21, c = 2.675, d = 1500",
    "a = -inf, b = nan, c = -0, d = 1e-07",
    "a = [ [0] = 18446744073709551615, [1] = 18446744073709551615 ], "
    "b = [ [0] = 3771334343958392833, [1] = 18 ], c = [ [0] = -7, [1] = -1 ]",
    r'a_size = 10, a_length = 10, a = "plain \e[1m", b_size = 11, b_length = 11, '
    r'b = "\"q\" \n café", c_size = 3, c_length = 3, c = "abc", s_length = 3, s = "end"',
    'a_size = 1000, a_length = 3, a = "cut", b_size = 4, b_length = 3, b = "cut", '
    'c_size = 0, c_length = 0, c = "", s_length = 1, s = "x"',
    "a_size = 3, a_length = 3, a = [ [0] = 0, [1] = 10, [2] = 255 ], "
    "b_size = 9, b_length = 3, b = [ [0] = 0, [1] = 10, [2] = 255 ]",
    'a_kind = ( "u8" : container = 0 ), a = { 255 }, b_kind = ( "i16" : container = 5 ), '
    'b = { -2 }, c_kind = ( "bool" : container = 12 ), c = { 1 }',
    'a_kind = ( "character" : container = 13 ), a = { 65 }, b_kind = ( "u64" : container = 3 ), '
    'b = { 244837814094590 }, c_kind = ( "text" : container = 15 ), '
    r'c = { { size = 5, length = 5, data = "a \"b\"" } }',
    'a_kind = ( "u128" : container = 8 ), a = { [ [0] = 0, [1] = 1 ] }, '
    'b_kind = ( "i128" : container = 9 ), b = { [ [0] = -1, [1] = -1 ] }, '
    'c_kind = ( "bytes" : container = 16 ), '
    "c = { { size = 2, length = 2, data = [ [0] = 1, [1] = 2 ] } }",
    'a_kind = ( "f64" : container = 11 ), a = { 1 }, b_kind = ( "f32" : container = 10 ), '
    'b = { 0.25 }, c_kind = ( "pointer" : container = 14 ), c = { 0x7F00 }',
    'a_kind = ( "text" : container = 15 ), a = { { size = 3, length = 2, data = "cu" } }, '
    'b_kind = ( "i64" : container = 7 ), b = { 77 }, c_kind = ( "u32" : container = 2 ), '
    "c = { 7 }",
    'x_size = 9, x_size_ = 1, x_length_ = 1, x = "X", x_length = 8, '
    'y_kind_ = ( "i8" : container = 4 ), y = { -3 }, y_kind = 7',
    'a_length = 1, a = "s"',
    "",
    "scope = -2, step = 3",
    "scope = -2, scope_tid = 4242",
]}


def without_cuts(message):
    """Returns the message without marks of cut values, which simpletrace files lack."""
    return message.replace("...", "")


class Typed(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="waymark-test-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.shm = self.work / "shm"
        self.shm.mkdir()
        self.ctf = self.work / "ctf"
        self.simple = self.work / "simple"

    def fire(self, trace, *args, status=0, program=FIRE):
        done = subprocess.run([program, *args], cwd=self.work, capture_output=True, text=True,
                              timeout=60, env={**os.environ, "WAYMARK_TRACE": trace,
                                               "WAYMARK_SHM": str(self.shm)})
        self.assertEqual(done.returncode, status, done.stderr)

    def fire_both(self):
        self.fire(f"t_*,file={self.ctf},simple.file={self.simple}")

    def waymark(self, *args):
        done = subprocess.run([WAYMARK, *map(str, args)], capture_output=True, text=True,
                              timeout=60, env={**os.environ, "WAYMARK_SHM": str(self.shm)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.said = done.stderr
        return done.stdout

    def messages(self, *args):
        """Returns the name and message of each event."""
        lines = self.waymark("print", *args).splitlines()
        return [tuple((line.split(" ", 3) + [""])[2:4]) for line in lines]

    def expected(self, of=lambda message: message):
        return [(name, of(message)) for name, message, _, _ in EVENTS]

    def check_ctf(self, trace):
        self.assertEqual(self.messages(trace), self.expected())

    def test_a_native_trace_says_what_rust_would(self):
        self.fire_both()
        self.check_ctf(self.ctf)
        self.assertEqual(self.said, "")

    def test_a_simpletrace_file_does_with_its_declarations(self):
        self.fire_both()
        self.assertEqual(self.messages("-e", TOML, self.simple), self.expected(without_cuts))

    def test_a_directory_is_its_files_by_name(self):
        folder = self.work / "trace"
        folder.mkdir()
        (folder / "z.toml").write_text(
            '[[events]]\nname = "t_z"\nargs = ""\nmessage = ""\nenabled = true\n')
        (folder / ".hidden.toml").write_text("=")
        shutil.copy(TOML, folder / "a.toml")
        self.fire_both()
        self.assertEqual(self.messages("-e", folder, self.simple), self.expected(without_cuts))
        done = subprocess.run([TEST_VALUES, self.simple, folder], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, f"{len(EVENTS)} events\n"))

    def test_a_directory_that_is_no_declaration_is_refused(self):
        folder = self.work / "trace"
        folder.mkdir()
        self.fire_both()
        for file, said in ((None, f"{folder}: a directory without files *.toml"),
                           ("b.toml", f"{folder}/b.toml: Is a directory"),
                           ("a.toml", f"{folder}/a.toml:1:1: error")):
            if file == "b.toml":
                (folder / file).mkdir()
            elif file:
                (folder / "b.toml").rmdir()
                (folder / file).write_text("=")
            done = subprocess.run([WAYMARK, "print", "-e", folder, self.simple],
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(said, done.stderr)
        before = (folder / "a.toml").write_text((pathlib.Path(TOML)).read_text())
        done = subprocess.run([WAYMARK, "print", "-e", folder, "-o", folder / "a.toml",
                               self.simple], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is both the declarations and the output", done.stderr)
        self.assertEqual(before, (folder / "a.toml").stat().st_size)

    def test_generated_code_records_the_same(self):
        self.fire(f"t_*,file={self.ctf},simple.file={self.simple}", program=CALLS)
        expected = [e for e in self.expected(without_cuts) if "scope" not in e[0]] + [OBJECTS]
        self.assertEqual(self.messages(self.ctf), expected)
        self.assertEqual(self.messages("-e", TOML, self.simple), expected)
        last = self.waymark("print", "--json", self.ctf).splitlines()[-1]
        self.assertEqual(json.loads(last)["args"], {"a": REQUEST, "b": REQUEST})

    def test_json_has_the_values(self):
        self.fire_both()
        for args, tells_cuts in (([self.ctf], True), (["-e", TOML, self.simple], False)):
            lines = self.waymark("print", "--json", *args).splitlines()
            got = [json.loads(line) for line in lines]
            self.assertEqual([(e["event"], e["args"]) for e in got],
                             [(name, values) for name, _, values, _ in EVENTS])
            self.assertEqual([e.get("cut", []) for e in got],
                             [cut if tells_cuts else [] for _, _, _, cut in EVENTS])

    def test_floats_in_json_come_back_as_they_were(self):
        self.fire_both()
        lines = self.waymark("print", "--json", self.ctf).splitlines()
        self.assertEqual(f32(json.loads(lines[1])["args"]["a"]), f32(0.1))
        self.assertEqual(str(json.loads(lines[2])["args"]["c"]), "-0.0")

    def test_babeltrace2_has_the_same_values(self):
        if not shutil.which("babeltrace2"):
            self.skipTest("babeltrace2 is not installed")
        self.fire_both()
        self.check_babeltrace(self.ctf)

    def check_babeltrace(self, trace):
        done = subprocess.run(["babeltrace2", trace], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        got = [re.sub(r".*\}, \{ (.*?) ?\}$", r"\1", line) for line in done.stdout.splitlines()]
        self.assertEqual(got, BY_HAND["babeltrace2"])

    def test_a_character_is_compared_with_text(self):
        self.fire_both()
        wanted = [(name, message) for name, message, values, _ in EVENTS if values.get("a") == "A"]
        self.assertEqual(len(wanted), 1)
        for where in 'a == "A"', 'a =~ "?"', 'a > "@" && a < "B"', "a == 65":
            self.assertEqual(self.messages("--event=t_debug", "--where", where, self.ctf), wanted)
        self.assertEqual(self.messages("--event=t_debug", "--where", 'a == "AA"', self.ctf), [])

    def test_killed_and_recovered_nothing_is_missing(self):
        self.fire(f"t_*,file={self.ctf}", "kill", status=-9)
        self.check_ctf(self.ctf)
        self.assertIn("a part of this is read from memory", self.said)
        self.waymark("recover", self.ctf)
        self.check_ctf(self.ctf)
        self.assertEqual(self.said, "")
        self.check_babeltrace(self.ctf)

    def test_a_flight_recorder_counts_each_event_that_it_gives_up(self):
        self.fire(f"t_*,file={self.ctf},full=overwrite,buffer=1M", "5000")
        info = json.loads(self.waymark("info", "--json", self.ctf))
        self.assertGreater(info["overwritten"], 0)
        self.assertEqual(info["events"] + info["overwritten"], 5000 * len(EVENTS))

    def test_converted_and_back_it_says_the_same(self):
        self.fire_both()
        self.waymark("convert", "-o", self.work / "there", self.ctf)
        self.assertEqual(self.messages("-e", TOML, self.work / "there"),
                         self.expected(without_cuts))
        self.waymark("convert", "-e", TOML, "-o", self.work / "back", self.work / "there")
        self.assertEqual(self.messages(self.work / "back"), self.expected(without_cuts))
        before = json.loads(self.waymark("info", "--json", self.ctf))
        self.assertEqual(before["events"], len(EVENTS))

    def test_programs_read_them_by_the_api(self):
        self.fire_both()
        done = subprocess.run([TEST_VALUES, self.ctf], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_without_its_declaration_an_event_shows_its_fields(self):
        self.fire_both()
        metadata = self.ctf / "metadata"
        metadata.write_text(re.sub(r"/\* toml .*", "", metadata.read_text()))
        got = dict(self.messages(self.ctf))
        self.assertEqual(got["t_wide"],
                         f"a={2**128 - 1} b={0x123456789abcdef001} c=-7")
        self.assertEqual(got["t_floats"], "a=-inf b=NaN c=-0 d=0.0000001")
        self.assertEqual(got["t_bytes"], "a=[0, 10, 255] b=[0, 10, 255]...")
        self.assertEqual(got["t_debug"], 'a="cu"... b=77 c=7')

    def test_the_comment_is_the_declaration_as_toml(self):
        try:
            import tomllib
        except ImportError:
            self.skipTest("Python has no tomllib")
        self.fire_both()
        text = (self.ctf / "metadata").read_text()
        comments = re.findall(r"/\* toml typed.toml:\d+: (.*) \*/", text)
        with open(TOML, "rb") as f:
            declared = tomllib.load(f)
        declared["events"] = [e for e in declared["events"] if e["name"] != "t_objects"]
        got = {"events": [], "scopes": []}
        for comment in comments:
            for key, tables in tomllib.loads(comment).items():
                got[key] += tables
        for key in got:
            self.assertEqual(sorted(got[key], key=lambda t: t["name"]),
                             sorted(declared[key], key=lambda t: t["name"]))


if __name__ == "__main__":
    done = unittest.main(argv=sys.argv[:1], exit=False).result
    for test, reason in done.skipped:
        print("skipped:", test, reason)
    sys.exit(1 if not done.wasSuccessful() else 77 if done.skipped else 0)
