#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests captures of the kernel's trace as input: captures.py WAYMARK API

Outputs of the kernel and of trace-cmd, in all known forms, cut, and damaged. API is a program that
prints records of the library. tests/marker has captures that the kernel made.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from compare import check, finish  # noqa: E402

WAYMARK, API = map(os.path.realpath, sys.argv[1:3])
HEAD = """# tracer: nop
#
# entries-in-buffer/entries-written: 4/4   #P:2
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
"""
MARK = "tracing_mark_write: "
DOCUMENT = [  # crosvm's example, whose ids begin at 0
    '503 VirtioFs Enter: release - (self.tag: "mtdroot")(inode: 42)(handle: Some(35))',
    "504 VirtioFs Enter: read (zero-message)", "504 VirtioFs Exit: read (zero-message)",
    "503 VirtioFs Exit: release"]
DOCUMENT_EVENTS = [
    ("VirtioFs:release", {"scope": 2**31 + 503, "self_tag": "mtdroot", "inode": 42,
                          "handle": "Some(35)"}),
    ("VirtioFs:read (zero-message)", {"scope": 2**31 + 504}),
    ("VirtioFs:read (zero-message)_end", {"scope": 2**31 + 504, "scope_tid": 7}),
    ("VirtioFs:release_end", {"scope": 2**31 + 503, "scope_tid": 7})]


def run(*arguments, status=0, given=None, **environment):
    """Returns standard output and standard error."""
    done = subprocess.run([WAYMARK, *arguments], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=60, input=given,
                          env={**os.environ, **environment})
    check(f"status of {arguments}: {done.stderr}", done.returncode, status)
    return done.stdout, done.stderr


def records(text, *options, **others):
    out, _ = run("print", "--json", *options, "-", given=text, **others)
    return [json.loads(line) for line in out.splitlines()]


def events(text, *options, **others):
    return [(r["event"], r["args"]) for r in records(text, *options, **others) if "event" in r]


def line(text, us, tid=7, who="crosvm", columns="[001] ....."):
    return f"{who:>16}-{tid} {columns} {us // 1000000}.{us % 1000000:06}: {text}\n"


def lines(texts, **others):
    return "".join(line(MARK + text, 5000000 + 10 * i, **others) for i, text in enumerate(texts))


def forms_of_lines():
    """The same events with any text before and after them."""
    plain = lines(DOCUMENT)
    forms = {
        "trace": HEAD + plain,
        "trace_pipe": plain,
        "with CRLF": (HEAD + plain).replace("\n", "\r\n"),
        "without flags": lines(DOCUMENT, columns="[001]"),
        "of older kernels": lines(DOCUMENT, columns="[001] d..2"),
        "with other names": lines(DOCUMENT, who="a-5 [000] b-1"),
        "without a name": lines(DOCUMENT, who="<...>"),
        "of trace-cmd": "cpus=2\nCPU 0 is empty\n" + plain.replace(MARK, "print:      " + MARK),
        "without symbols": plain.replace(MARK, "print: 0xffffffff811a2b3c: "),
        "of an instance": plain.replace(" crosvm-", "vm:   crosvm-"),
        "cut at the begin": "owhere: the rest of a text\n}\n" + plain,
        "two captures": HEAD + HEAD + plain,
    }
    for name, text in forms.items():
        status = 1 if "cut" in name else 0
        check(name, events(text, status=status), DOCUMENT_EVENTS)
    told = records(lines(DOCUMENT, columns="(  4711) [001] ....."))
    check("a process is known", {(r["pid"], r["tid"]) for r in told}, {(4711, 7)})
    told = records(lines(DOCUMENT, columns="(-------) [001] ....."))
    check("none is known", [r for r in told if "pid" in r], [])
    told = records("  a-7 [001]  3.123456789: print: tracing_mark_write: x\n")
    check("times have all digits", told[0]["time"], 3.123456789)


def what_else_is_in_it():
    text = HEAD + line("sched_switch: prev_comm=a prev_state=S ==> next_comm=b", 1) + line(
        "ksys_read <-__x64_sys_read", 2) + line("sys_openat(dfd: ffffff9c)", 3) + line(
            MARK + "one\ntwo\n\n  # three", 4) + line("kernel_stack: <stack trace>\n => a\n => b", 5)
    check("the kernel's events have their text", events(text), [
        ("sched_switch", {"text": "prev_comm=a prev_state=S ==> next_comm=b"}),
        ("ksys_read", {"text": "<-__x64_sys_read"}), ("sys_openat", {"text": "(dfd: ffffff9c)"}),
        ("print", {"text": "one\ntwo\n\n  # three"}),
        ("kernel_stack", {"text": "<stack trace>\n => a\n => b"})])
    check("events are picked", events(text, "--event=sched*"), events(text)[:1])
    check("and left out", events(text, "--event=-print", "--since=+.000001"),
          events(text)[1:3] + events(text)[4:])
    check("threads are picked", len(events(text + lines(["x"], tid=8), "--thread=8")), 1)
    with tempfile.NamedTemporaryFile("w", suffix="trace-events") as declared:
        declared.write('blk_read(int n) "n %d"\nblk_open(void) "opened"\n')
        declared.flush()
        check("events are known by declarations", events(
            lines(["blk_read n 5", "[blk_open] now", "blk_write n 5", "blk_reader", "blk_open"]),
            "-e", declared.name), [
                ("blk_read", {"text": "n 5"}), ("blk_open", {"text": "now"}),
                ("print", {"text": "blk_write n 5"}), ("print", {"text": "blk_reader"}),
                ("blk_open", {"text": ""})])


def scopes_of_threads():
    text = lines(["B|70|outer - (n: 3)", "B|70|[inner] text", "E|70", "E|70", "E|70",
                  "S|70|work|1", "S|70|rest|1", "F|70|work|1", "C|70|depth|3",
                  "[SCOPE_START][frame] a b", "[SCOPE_END]", "7 Net Flow begin: packet"])
    text += line(MARK + "F|70|rest|1", 6000000, tid=8)
    text += line(MARK + "7 Net Flow end: packet", 6000001, tid=8)
    first = 2**31
    check("ends say what they end", events(text), [
        ("outer", {"scope": first, "n": 3}), ("inner", {"scope": first + 1, "text": "text"}),
        ("inner_end", {"scope": first + 1, "scope_tid": 7}),
        ("outer_end", {"scope": first, "scope_tid": 7}),
        ("(unknown)_end", {"scope": first + 2, "scope_tid": 7}),
        ("work", {"scope": 1}), ("rest", {"scope": 1}), ("work_end", {"scope": 1, "scope_tid": 7}),
        ("depth", {"value": 3}), ("frame", {"scope": first + 3, "text": "a b"}),
        ("frame_end", {"scope": first + 3, "scope_tid": 7}), ("Net:packet", {"scope": 7}),
        ("rest_end", {"scope": 1, "scope_tid": 7}), ("Net:packet_end", {"scope": 7, "scope_tid": 7})])
    rows = json.loads(run("scopes", "--json", "-", given=text)[0])["scopes"]
    check("spans", {r["name"]: (r["count"], r["total_ns"], r["self_ns"], r["unbegun"])
                    for r in rows}, {
          "outer": (1, 30000, 20000, 0), "inner": (1, 10000, 10000, 0),
          "(unknown)": (0, 0, 0, 1), "work": (1, 20000, 20000, 0),
          "rest": (1, 999940000, 999940000, 0), "frame": (1, 10000, 10000, 0),
          "Net:packet": (1, 999891000, 999891000, 0)})


def names_that_waste_time():
    """Each ` - (` in them might begin the arguments: a search that tries all of them takes minutes."""
    name = " - (a" * 12000
    text = HEAD + lines([f"c Instant: x{name}"] * 40)
    check("names", [(e, a) for e, a in events(text)], [(f"c:x{name}", {})] * 40)
    check("arguments behind a few of them", events(HEAD + lines(["c Instant: x - (a - (b: 1)"])),
          [("c:x - (a", {"b": 1})])


def ids_of_processes():
    """Two crosvm processes count ids from 0; a thread may end another thread's scope."""
    enter, leave = "0 VirtioFs Enter: read", "0 VirtioFs Exit: read"
    text = line(MARK + enter, 100, tid=1) + line(MARK + enter, 200, tid=2) + line(
        MARK + leave, 250, tid=1) + line(MARK + leave, 500, tid=2)
    rows = json.loads(run("scopes", "--json", "-", given=text)[0])["scopes"]
    check("each ends its own", [(r["count"], r["min_ns"], r["max_ns"]) for r in rows],
          [(2, 150000, 300000)])
    text = line(MARK + enter, 100, tid=1) + line(MARK + leave, 250, tid=3) + line(
        MARK + "0 VirtioFs Exit: write", 300, tid=1)
    check("that of another thread, of that name", [a for _, a in events(text)][1:], [
        {"scope": 2**31, "scope_tid": 1}, {"scope": 2**31, "scope_tid": 1}])
    rows = json.loads(run("scopes", "--json", "-", given=text)[0])["scopes"]
    check("another name is another scope", {r["name"]: (r["count"], r["unbegun"]) for r in rows},
          {"VirtioFs:read": (1, 0), "VirtioFs:write": (0, 1)})


def what_was_lost():
    head = HEAD.replace("4/4", "4/3004")
    text = head + line(MARK + DOCUMENT[0], 10) + "CPU:1 [LOST 123 EVENTS]\n" + "CPU:0 [LOST EVENTS]\n"
    text += line(MARK + DOCUMENT[2], 20) + "CPU:1 [5 EVENTS DROPPED]\n"
    gaps = [(round(r["time"] * 1e6), r["gap"]) for r in records(text) if "gap" in r]
    check("gaps", [(us, gap["lost"], gap["overwritten"], gap["missing_packets"])
                   for us, gap in gaps],
          [(10, 0, 3000, 0), (20, 123, 0, 1), (20, 5, 0, 0)])
    rows = json.loads(run("scopes", "--json", "-", given=text)[0])["scopes"]
    check("ends may be lost", {r["name"]: (r["end_lost"], r["unfinished"], r["begin_lost"],
                                           r["unbegun"]) for r in rows},
          {"VirtioFs:release": (1, 0, 0, 0), "VirtioFs:read (zero-message)": (0, 0, 1, 0)})
    # A processor's gap affects every process, also known ones.
    rows = json.loads(run("scopes", "--json", "-", given=text.replace(
        " [001]", " (  4711) [001]"))[0])["scopes"]
    check("also with columns of processes", sum(r["end_lost"] for r in rows), 1)


def what_cannot_be_read():
    plain = HEAD + lines(DOCUMENT)
    count = plain.count("\n")
    for name, text, words in (
            ("ticks", plain.replace("5.0000", "50000"), "line 6: its time is in ticks of unknown length"),
            ("uptime", plain.replace("5.0000", "50000"), "echo mono > trace_clock"),
            ("cut", plain[:-9], f"truncated: the capture ends inside of line {count}"),
            ("without a newline", plain[:-1], f"inside of line {count}"),
            ("bad", plain.replace("# tracer: nop", "# tracer: nop\nwhat is this"),
             "line 2 is not a line of the kernel's trace: what is this"),
            ("empty", "", "the file is empty"),
            ("other text", "a\n" * 100000, "not a trace"),
            ("no newline", "a" * 1000000, "not a trace"),
            ("long", HEAD + "x" * 10000000 + "\n" + lines(DOCUMENT),
             "line 6 is too long for a line of the kernel's trace")):
        out, said = run("print", "-", given=text, status=1)
        check(f"{name}: {words!r} in {said!r}", words in said, True)
        wanted = {"cut": 3, "without a newline": 3, "bad": 4, "long": 4}.get(name, 0)
        check(f"lines of {name}", out.count("\n"), wanted)
    with tempfile.NamedTemporaryFile() as garbage:
        for begin in (b"", b"# tracer: nop\n", b"\x17\x08\x44"):
            garbage.seek(0)
            garbage.write(begin + bytes(range(256)) * 1000)
            garbage.flush()
            for command in ("print", "info", "scopes", "flamegraph"):
                _, said = run(command, garbage.name, status=1)
                check(f"{command} of garbage says so", len(said) > 10, True)
    check("no events", run("info", "--json", "-", given=HEAD)[0].count('"events":0'), 1)
    check("a head that is cut", records("# tracer: n", status=1), [])


def other_commands(work):
    path = work + "/capture"
    with open(path, "w") as f:
        f.write(HEAD + lines(DOCUMENT, columns="(  4711) [001] ....."))
    out, _ = run("print", path)
    check("lines", out.splitlines()[0], "5.000000000 4711/7 VirtioFs:release (self.tag: "
          '"mtdroot")(inode: 42)(handle: Some(35)) scope=2147484151')
    out, _ = run("info", path)
    check("info", "format    tracefs, text\n" in out and "pids      4711 (4)\n" in out, True)
    out, _ = run("flamegraph", "--folded", path)
    check("flamegraph", out, "process 4711;thread 7;VirtioFs:release 20000\n"
          "process 4711;thread 7;VirtioFs:release;VirtioFs:read (zero-message) 10000\n")
    out, _ = run("latency", "--json", "--from=VirtioFs:release", "--to=VirtioFs:release_end",
                 "--by=scope", "--per=inode", path)
    rows = json.loads(out)["latencies"]
    check("latency", [(r["count"], r["total_ns"], r["group"]) for r in rows], [(1, 30000, "42")])
    for form, to in (("ctf", work + "/native"), ("simple", work + "/simple")):
        run("convert", "--to", form, "-o", to, path)
        out, _ = run("print", "--json", to)
        found = [json.loads(s) for s in out.splitlines()]
        check(f"converted to {form}", [r["event"] for r in found], [e for e, _ in DOCUMENT_EVENTS])
        if form == "ctf":
            check("its arguments", [r["args"] for r in found], [a for _, a in DOCUMENT_EVENTS])
    run("convert", "-o", work + "/default", path)
    check("the default is the native format", os.path.isdir(work + "/default"), True)
    out, _ = run("print", path, work + "/native")
    check("beside a native trace", len(out.splitlines()), 8)
    api = subprocess.run([API, path], check=True, text=True, stdout=subprocess.PIPE, timeout=60)
    check("the library", 'inode= ' in api.stdout and "VirtioFs:release" in api.stdout, True)


def trace_cmd(work):
    """Files of trace-cmd are read through that program; here a stand-in prints the text."""
    dat, text = work + "/trace.dat", work + "/text"
    with open(dat, "wb") as f:
        f.write(b"\x17\x08\x44tracing7\0" + bytes(5000))
    os.mkdir(work + "/bin")
    stub = work + "/bin/trace-cmd"

    def make_stub(body):
        with open(stub, "w") as f:
            f.write("#!/bin/sh\n" + body)
        os.chmod(stub, 0o755)

    def read(*options, status=0, path=work + "/bin:" + os.environ["PATH"]):
        return run("print", "--json", *options, dat, status=status, PATH=path)

    with open(text, "w") as f:
        f.write("cpus=2\n" + lines(DOCUMENT).replace(MARK, "print:   " + MARK))
    make_stub(f'[ "$1 $2 $3" = "report -t -i" ] && cmp "$4" {dat} && cat {text}\n')
    told = [json.loads(s) for s in read()[0].splitlines()]
    check("trace.dat", [(r["event"], r["args"]) for r in told], DOCUMENT_EVENTS)
    check("a part of it", len(read("--head=1")[0].splitlines()), 1)
    with open(dat, "rb") as f:
        done = subprocess.run([WAYMARK, "print", "-"], stdin=f, stdout=subprocess.PIPE, timeout=60,
                              env={**os.environ, "PATH": work + "/bin:" + os.environ["PATH"]})
    check("as standard input", (done.returncode, done.stdout.count(b"\n")), (0, 4))
    make_stub("yes '" + line(MARK + "x", 5)[:-1] + "'\n")
    check("one that goes on is ended", len(read("--head=3")[0].splitlines()), 3)
    for body, words in (("echo complaint >&2; exit 1\n", "trace-cmd report could not read it"),
                        ("exit 0\n", "prints nothing of it: it is truncated or damaged")):
        make_stub(body)
        _, said = read(status=1)
        check(f"{words!r} in {said!r}", words in said and "complaint" not in said, True)
    _, said = read(status=1, path=work)
    check(said, "trace-cmd is not installed" in said, True)
    with open(dat, "rb") as f:
        done = subprocess.run(f"cat | {WAYMARK} print -", shell=True, stdin=f, text=True,
                              stderr=subprocess.PIPE, stdout=subprocess.PIPE, timeout=60)
    check(done.stderr, "cannot be read from a pipe" in done.stderr, True)


def live():
    """Lines of trace_pipe are printed when they arrive, although a text may have more lines."""
    with subprocess.Popen([WAYMARK, "print", "-"], stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE) as p:
        for text, shown in ((lines(["first"]), "5.000000000 -/7 print first"),
                            (lines(["a\nb"]), "5.000000000 -/7 print a\\nb"),
                            ("late\n", "5.000000000 -/7 print late"),
                            (lines(["last"]), "5.000000000 -/7 print last")):
            p.stdin.write(text)
            p.stdin.flush()
            check("shown at once", p.stdout.readline(), shown + "\n")
        p.stdin.close()


def many_names():
    """Many names contain arguments, but memory is bounded."""
    text = "".join(line(MARK + f"B|7|read {i}", i) + line(MARK + "E|7", i) for i in range(70000))
    rows = json.loads(run("scopes", "--json", "-", given=text)[0])["scopes"]
    check("all are counted", sum(r["count"] for r in rows), 70000)
    check("some as others", [r["count"] > 1000 for r in rows if r["name"] == "(other)"], [True])


def main():
    forms_of_lines()
    what_else_is_in_it()
    scopes_of_threads()
    names_that_waste_time()
    ids_of_processes()
    what_was_lost()
    what_cannot_be_read()
    live()
    many_names()
    with tempfile.TemporaryDirectory() as work:
        other_commands(work)
        trace_cmd(work)
    finish()


if __name__ == "__main__":
    main()
