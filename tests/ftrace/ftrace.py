#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the backend ftrace against the kernel: ftrace.py PROGRAM TEST [MODULE]

Each test mounts tracefs in a private mount namespace, and makes a buffer (instance) in the kernel,
which is removed at its end. The program has the backends log and ftrace, so that each line of the
kernel's trace can be compared with a line of the log.
"""
import ctypes
import os
import re
import stat
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "common"))
from reachable import reachable  # noqa: E402

CLONE_NEWNS = 0x20000
CLONE_NEWUSER = 0x10000000
LINE = re.compile(r"^ *(?P<who>.*)-(?P<tid>\d+) +\[\d+\] .{5,6} +(?P<time>\d+\.\d+): "
                  r"(?P<event>\w+): (?P<text>.*)$")
LONGEST = 4054  # bytes since Linux 6.8, 1024 before


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def check(condition, *words):
    if not condition:
        print("FAILED:", *words)
        sys.exit(1)


def read(path):
    with open(path, errors="surrogateescape") as f:
        return f.read()


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def own_mounts():
    """Gives this process private mounts, as root of a user namespace if it is not root."""
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.geteuid(), os.getegid()
    if libc.unshare(CLONE_NEWNS | (CLONE_NEWUSER if user else 0)) != 0:
        skip("no mount namespace: " + os.strerror(ctypes.get_errno()))
    if user:
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"0 {user} 1")
        write("/proc/self/gid_map", f"0 {group} 1")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


def mount_tracefs(directory):
    """Gives this process private mounts and a tracefs in `directory`."""
    own_mounts()
    os.mkdir(directory)
    made = subprocess.run(["mount", "-t", "tracefs", "tracefs", directory],
                          stderr=subprocess.PIPE, text=True)
    if made.returncode:
        skip("no tracefs: " + made.stderr.strip())


class Bench:
    """A directory, a tracefs and a buffer of the kernel."""

    def __init__(self, program, directory):
        self.program = os.path.abspath(program)
        self.directory = directory
        self.tracefs = directory + "/trace fs"
        mount_tracefs(self.tracefs)
        self.instance = "waymark-test-%d" % os.getpid()
        self.buffer = self.tracefs + "/instances/" + self.instance
        os.mkdir(self.buffer)
        # The default clock is per processor: a thread that moves may see it go back.
        write(self.buffer + "/trace_clock", "global")
        self.piece = LONGEST if os.path.exists(self.buffer + "/buffer_subbuf_size_kb") else 1024

    def close(self):
        os.rmdir(self.buffer)

    def run(self, *arguments, option=None, before=(), status=0):
        """Runs the program with all events on. Returns the process, with its log as `log`."""
        if option is None:
            option = "ftrace.instance=" + self.instance
        log = self.directory + "/log"
        if os.path.exists(log):
            os.remove(log)
        trace = ";".join(filter(None, ("*", option, "log.file=" + log, "log.prefix=none")))
        done = subprocess.Popen([*before, self.program, *map(str, arguments)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "WAYMARK_TRACE": trace})
        done.stdout, done.stderr = done.communicate()
        done.log = read(log).splitlines() if os.path.exists(log) else None
        check(done.returncode == status, "status", done.returncode, done.stderr)
        return done

    def trace(self, buffer=None):
        """Returns the lines of the kernel's trace as matches of LINE."""
        lines = [s for s in read((buffer or self.buffer) + "/trace").split("\n")
                 if s and not s.startswith("#")]
        found = [LINE.match(s) for s in lines]
        check(all(found), "lines that are none:", [s for s, m in zip(lines, found) if not m][:3])
        return found

    def marks(self, buffer=None):
        return [m for m in self.trace(buffer) if m["event"] == "tracing_mark_write"]

    def texts(self):
        return [m["text"] for m in self.marks()]


def test_text(b):
    done = b.run("steps", 10)
    check(len(done.log) == 20 and done.log[0] == "step number=0 balance=0 word='plain'", done.log)
    check(r"word='two\nlines\x1b[0m'" in done.log[8], done.log[8])
    check(b.texts() == done.log, "trace", b.texts(), "log", done.log)
    check(done.stderr == "", done.stderr)
    times = [float(m["time"]) for m in b.marks()]
    check(times == sorted(times), times)


def test_main_buffer(b):
    done = b.run("steps", 5, option="")
    own = [m["text"] for m in b.marks(b.tracefs) if m["tid"] == str(done.pid)]
    check(len(own) == 10 and own == done.log, own, done.log)
    check(b.texts() == [], b.texts())


def test_beside_kernel(b):
    waking = b.buffer + "/events/sched/sched_waking/enable"
    write(waking, "1")
    done = b.run("steps", 20)
    write(waking, "0")
    trace = b.trace()
    marks = [i for i, m in enumerate(trace) if m["event"] == "tracing_mark_write"]
    tid = trace[marks[0]]["tid"]
    check([trace[i]["text"] for i in marks] == done.log, "the text")
    check([float(m["time"]) for m in trace] == sorted(float(m["time"]) for m in trace), "times")
    # The program sleeps after each step. The timer's waking event is recorded even if the program
    # was just about to sleep. Switches are not: some kernels omit an idle processor's from the
    # trace.
    for begin, end in zip(marks[0::2], marks[1::2]):
        between = [m["text"] for m in trace[begin:end] if m["event"] == "sched_waking"]
        check(any(" pid=%s " % tid in s for s in between), trace[begin][0], between)


def test_threads(b):
    write(b.buffer + "/buffer_size_kb", "16384")
    done = b.run("threads", 4, 20000)
    check(done.stderr == "", done.stderr)
    seen = {"thread_step": [0] * 4}
    ticks = {}  # of each thread that took a signal: two threads may do so at the same time
    for mark in b.marks():
        text = mark["text"]
        name, *values = text.split()
        values = [int(v.split("=")[1]) for v in values]
        if name == "tick":
            ticks.setdefault(mark["tid"], []).append(values[0])
        else:
            check(values[1] == seen[name][values[0]], text, "after", seen[name])
            seen[name][values[0]] += 1
    check(seen["thread_step"] == [20000] * 4, seen)
    check(all(numbers == sorted(numbers) for numbers in ticks.values()), ticks)
    count = int(done.stdout)
    check(count > 0 and sorted(sum(ticks.values(), [])) == list(range(count)), count, ticks)
    check(len(done.log) == 80000 + count, len(done.log))


def test_long(b):
    frame = len("step number=1 balance=1 word=''\n")
    for length in (b.piece - frame, b.piece - frame + 1, 6000, 100000):
        write(b.buffer + "/trace", "")
        done = b.run("long", length)
        first, text, last = b.texts()
        check((first, last) == ("tick number=1", "tick number=2"), first, last)
        if length + frame <= b.piece:
            check(text == done.log[1] and text.endswith("x'"), len(text), text[-20:])
        else:
            check(len(text) == b.piece - 1 and text.endswith("xxx..."), len(text), text[-20:])
        check(done.stderr == "", done.stderr)


def test_short_writes(b):
    """Uses a module that simulates an older kernel, because none is available."""
    before = ["env", "LD_PRELOAD=" + os.path.abspath(sys.argv[3])]
    b.run("long", 3000, before=[*before, "HIDE_SUBBUF=1"])
    first, text, last = b.texts()
    check(len(text) == 1023 and text.endswith("xxx..."), len(text), text[-20:])
    check((first, last) == ("tick number=1", "tick number=2"), first, last)
    # The size that the kernel accepts is not known in advance.
    write(b.buffer + "/trace", "")
    b.run("long", 3000, before=before)
    first, text, note, last = b.texts()
    check(len(text) == 1024 and text.endswith("xxxx"), len(text), text[-20:])
    check(note == "waymark: the event before was cut here ...", note)
    check((first, last) == ("tick number=1", "tick number=2"), first, last)


def test_style(b):
    done = b.run("steps", 3, option="ftrace.style=atrace,ftrace.instance=" + b.instance)
    pid = b.marks()[0]["tid"]
    check(b.texts() == ["I|%s|%s" % (pid, s) for s in done.log], b.texts())
    done = b.run("steps", 1, option="ftrace.style=perfetto")
    check("ftrace.style=: 'perfetto' is not one of text, atrace, hitrace" in done.stderr, done.stderr)


def test_closing(b):
    done = b.run("closing", b.directory + "/own")
    check(b.texts() == ["tick number=%d" % i for i in (1, 2, 3, 4)], b.texts())
    check(done.stderr == "", done.stderr)


def test_forking(b):
    done = b.run("forking")
    check(sorted(b.texts()) == ["tick number=%d" % i for i in (1, 2, 3, 4, 4)], b.texts())
    check(len({m["tid"] for m in b.marks()}) == 3, b.texts())
    done = b.run("executing")
    check("trace_marker" not in done.stdout and " -> " in done.stdout, done.stdout)


def expect_loss(done, count, *words):
    """Checks that the log has all lines; one message names the fault, and one the number of lost lines."""
    said = done.stderr.splitlines()
    check(len(done.log) == count, done.log)
    check(len(said) == 2, said)
    check(said[0].startswith("waymark: ftrace: ") and all(w in said[0] for w in words), said)
    check(said[1] == "waymark: ftrace: %d events could not be written" % count, said)


def test_nowhere(b):
    # In a nested namespace, so that the buffer can be removed here.
    script = 'umount -a -l -t tracefs,debugfs; exec "$@"'
    done = b.run("steps", 10, option="", before=["unshare", "-m", "sh", "-ec", script, "sh"])
    expect_loss(done, 20, "no tracefs", "mount -t tracefs tracefs /sys/kernel/tracing")


def test_no_rights(b):
    os.chmod(b.directory, 0o777)
    b.program = reachable(b.program)
    before = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    done = b.run("steps", 10, option="", before=before)
    expect_loss(done, 20, "/trace_marker: Permission denied", "be root",
                "mount -o remount,gid=GROUP,mode=750 ")
    check(stat.S_IMODE(os.stat(b.tracefs + "/trace_marker").st_mode) & 0o002 == 0, "mode")


def test_off(b):
    write(b.buffer + "/tracing_on", "0")
    expect_loss(b.run("steps", 10), 20, "tracing is off", "tracing_on")
    check(read(b.buffer + "/tracing_on").strip() == "0", "somebody switched tracing on")
    check(b.texts() == [], b.texts())
    # The child counts its own losses.
    done = b.run("forking")
    numbers = sorted(re.findall(r"(\d+) events could not", done.stderr))
    check(numbers == ["1", "2", "2"], done.stderr)
    if os.environ.get("WAYMARK_SANITIZER") == "thread":
        print("left out: ThreadSanitizer makes vfork() a fork()")
        return
    done = b.run("vforking")
    check(done.stdout == "3\n", done.stdout)
    expect_loss(done, 3, "tracing is off")


def test_no_instance(b):
    option = "ftrace.instance=waymark-none"
    where = b.tracefs + "/instances/waymark-none"
    expect_loss(b.run("steps", 2, option=option), 4, "no instance 'waymark-none'", "mkdir ")
    check(not os.path.exists(where), "it was made")
    for wrong in ("..", "a/b", ""):
        done = b.run("steps", 1, option="ftrace.instance=" + wrong)
        check("ftrace.instance=" in done.stderr, wrong, done.stderr)
        check("a directory in instances/" in done.stderr, wrong, done.stderr)


def test_guest(b):
    """Runs the program of tests/guest: the documented example of vCPUs."""
    done = b.run()
    cpu = done.stdout.strip()
    check(b.texts() == ["foo a=d1", f"bar cpu={cpu} a=d2", f"baz_trans cpu={cpu} a=d3",
                        f"baz_exec cpu={cpu} a=d3"], cpu, b.texts())
    check(b.texts() == done.log, done.log)


def test_messages(b):
    """Runs the program of tests/text: messages with braces, and scopes."""
    for actions in (("texts", "formats"), ("handler=3",), ("child",), ("scopes=-7",)):
        write(b.buffer + "/trace", "")
        done = b.run(*actions)
        # The program has this event without ftrace.
        log = [s for s in done.log if s != "disk_idle"]
        check(len(log) >= 3 and b.texts() == log, b.texts(), done.log)
    check(b.texts()[0] == "[SCOPE_START][cursor] ", b.texts())
    check(b.texts()[4] == '[SCOPE_START(id=-7)][frame] fd 5 | "x"', b.texts())


def test_message_lines(b):
    b.run("lines", "texts")
    text = read(b.buffer + "/trace")
    check(': [object] is Request {\n    sector: 7,\n    name: "a\\nb",\n}\n' in text, text)
    check(text.count("tracing_mark_write") == 4, text)


def test_message_long(b):
    rest = ": Request received"
    frame = len("[request] " + rest + "\n")
    for length in ((b.piece - frame) & ~1, (b.piece - frame + 2) & ~1, 5000):
        write(b.buffer + "/trace", "")
        done = b.run("long=%d" % length)
        text, = b.texts()
        check(done.log == ["[request] " + "\u00e9" * (length // 2) + rest], len(done.log[0]))
        if length + frame <= b.piece:
            check(text == done.log[0], len(text), text[-30:])
        else:
            check(text.endswith("..."), text[-30:])
            check(b.piece - 2 <= len(text.encode()) < b.piece, len(text.encode()))


def test_scope_styles(b):
    message = '[frame] fd 5 %s "x"'
    for style, wanted in {
            "atrace": ["B|%d|[cursor] ", "B|%d|" + message % "|", "E|%d", "E|%d",
                       "S|%d|" + message % "/" + "|-7", "F|%d|" + message % "/" + "|-7",
                       "I|%d|[plain] "],
            "hitrace": ["B|%d|H:[cursor] ", "B|%d|H:" + message % "/", "E|%d|", "E|%d|",
                        "S|%d|H:" + message % "/" + " -7", "F|%d|H:" + message % "/" + " -7",
                        "I|%d|H:[plain] "]}.items():
        write(b.buffer + "/trace", "")
        option = "ftrace.style=%s,ftrace.instance=%s" % (style, b.instance)
        done = b.run("scopes=-7", "texts", "lines", option=option)
        texts = b.texts()
        del texts[6], texts[7]
        check(texts[:7] == [s.replace("%d", str(done.pid)) for s in wanted], texts)
        check(r"[object] is Request {\n    sector: 7,\n" in texts[7], texts[7])
        write(b.buffer + "/trace", "")
        b.run("long-scope=9000", option=option)
        id_, = b.texts()
        check(re.fullmatch(r"S.*\[frame\] x+\.\.\.[| ]-2147483648", id_), id_[-30:])
        check(len(id_) == b.piece - 1, len(id_))


def run_test(program, test):
    """Runs one test with a tracefs of its own."""
    if os.geteuid() != 0:
        skip("only root may have a tracefs")
    if "tracefs" not in read("/proc/filesystems"):
        skip("this kernel has no tracefs")
    with tempfile.TemporaryDirectory() as directory:
        b = Bench(program, directory)
        try:
            test(b)
        finally:
            b.close()
            subprocess.run(["umount", b.tracefs], check=True)


if __name__ == "__main__":
    run_test(sys.argv[1], globals()["test_" + sys.argv[2]])
