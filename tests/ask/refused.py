#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""refused.py WAYMARK ASK EXTENSION: what `waymark sql` does with wrong statements, with signals, and with
traces that grow or are damaged; and that SQLite's own shell opens a trace by the extension.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../common"))
from compare import check, finish

waymark, ask, extension = sys.argv[1:]

WRONG = [
    ("SELECT * FROM ask_sumbit", "no such table: ask_sumbit; did you mean 'ask_submit'?"),
    ("SELECT byts FROM ask_submit", "no such column: byts; did you mean 'bytes'?\n  SELECT byts FROM ask_submit\n"
     "         ^"),
    ("SELECT s.byts FROM ask_submit s", "did you mean 'bytes'?"),
    ("SELECT 1 FROM", "incomplete input"),
    ("DELETE FROM ask_submit", "table ask_submit may not be modified"),
    ("INSERT INTO events VALUES (1)", "table events may not be modified"),
    ("ATTACH 'other.db' AS other", "statements cannot open or write files"),
    ("VACUUM INTO 'other.db'", "statements cannot open or write files"),
    ("SELECT percentile(a, 101) FROM ask_tick", "P must be a number from 0 to 100"),
    ("SELECT percentile(a, a) FROM ask_tick", "P must be the same in all rows"),
    (".tabels", "there is no command '.tabels': see .help"),
    (".mode xml", ".mode is table, csv or json, not 'xml'"),
]


def run(*arguments, given=""):
    told = subprocess.run([waymark, "sql", *map(str, arguments)], input=given, timeout=60, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return told.returncode, told.stdout, told.stderr


def record(trace, rounds, options=""):
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,full=block,file={trace}{options}")
    return subprocess.Popen([ask, "2", str(rounds)], env=environment)


def check_statements(trace):
    for statement, message in WRONG:
        status, out, err = run(trace, statement)
        check(f"{statement}: status", status, 1)
        check(f"{statement}: {err}", message in err, True)
        check(f"{statement}: output", out, "")
    check("a column of another table", "did you mean" in run(trace, "SELECT disk FROM ask_tick")[2], False)
    check("no file was made", os.path.exists("other.db"), False)
    check("two statements", run("--csv", trace, given="SELECT 1 AS a;\nSELECT 2\nAS b;"), (0, "a\n1\nb\n2\n", ""))
    check("the first error ends it", run("--csv", trace, given="SELECT x;\nSELECT 2;")[:2], (1, ""))
    check("no rows", run("--json", trace, "SELECT 1 WHERE 0"), (0, "[]\n", ""))
    check("no trace", run()[0], 2)
    check("standard input", run("-", "SELECT 1")[0], 1)
    check("a table of one's own", run("--csv", trace, "CREATE TEMP TABLE t AS SELECT req FROM ask_submit LIMIT 3; "
                                      "SELECT count(*) AS n FROM t"), (0, "n\n3\n", ""))


def check_transaction(trace):
    """Totals leave a transaction and the user's tables alone."""
    status, out, err = run("--csv", trace, 'CREATE TEMP TABLE "waymark_totals"(a); BEGIN; '
                           'INSERT INTO waymark_totals VALUES(1); SELECT count(*) > 0 AS n FROM ask_tick; ROLLBACK; '
                           'SELECT count(*) AS n FROM waymark_totals')
    check("no group", run("--csv", trace, "SELECT op, count(*) FROM ask_submit WHERE time < 0 GROUP BY op"),
          (0, "op,count(*)\n", ""))
    check("a transaction goes on", (status, out, err), (0, "n\n1\nn\n0\n", ""))


def check_help(trace):
    """--help names the tables that are no events'."""
    tables = [t for t in run(trace, ".tables")[1].split() if not t.startswith("ask_")]
    check("tables", len(tables), 7)
    told = run("--help")[1]
    check("tables that --help lacks", [t for t in tables if not re.search(rf"\b{t}\b", told)], [])


def check_names(trace):
    """A field that is called as a column of every event keeps its name."""
    status, out, _ = run("--csv", trace, "SELECT pid < 0 AS a, _pid > 0 AS b FROM ask_rare LIMIT 1")
    check("a field named pid", (status, out), (0, "a,b\n1,1\n"))
    check("the declared names", run("--csv", trace, "SELECT names FROM declarations WHERE field = 'op'")[1],
          "names\n0=read 1=write 2=flush\n")


def interrupted_after(trace, statement):
    """Returns the seconds from SIGINT to the end of an endless statement, and its status."""
    process = subprocess.Popen([waymark, "sql", trace, statement], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    err = process.communicate(timeout=60)[1]
    check("it says so", b"interrupted" in err, True)
    return time.monotonic() - begin, process.returncode


def check_signal(trace):
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    scan = "SELECT count(*) FROM ask_tick a, ask_tick b, ask_tick c WHERE a.b + b.b + c.b = -1"
    for statement in endless, scan:
        # The fastest of three: the machine may be busy.
        results = [interrupted_after(trace, statement) for _ in range(3)]
        check("status", {status for _, status in results}, {1})
        check(f"{results} seconds", min(seconds for seconds, _ in results) < 0.1, True)


def check_damage(trace, folder):
    cut = folder / "cut.ctf"
    shutil.copytree(trace, cut)
    stream = next(cut.glob("stream-*"))
    os.truncate(stream, stream.stat().st_size * 2 // 3 & ~7)
    whole = int(run("--csv", trace, "SELECT count(*) AS n FROM events")[1].split()[1])
    status, out, err = run("--csv", cut, "SELECT count(*) AS n FROM events")
    check("a cut trace", (status, 0 < int(out.split()[1]) < whole), (1, True))
    check(f"a cut trace: {err}", "packet" in err, True)
    status, out, again = run("--csv", cut, given="SELECT 1 FROM events LIMIT 0; SELECT count(*) AS n FROM events;"
                           "SELECT count(*) FROM ask_tick;")
    check("each problem is reported once", (status, again), (1, err))


def check_memory(trace):
    """A row of a join costs no memory beyond the kept rows."""
    process = subprocess.Popen([waymark, "sql", "--where", "a >= 0", trace,
                                "SELECT count(*) FROM ask_tick x JOIN ask_tick y USING (b)"],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    check(f"a join needs {usage.ru_maxrss} KiB", (status, usage.ru_maxrss < 500000), (0, True))
    few = "SELECT count(*), sum(y.b) FROM (SELECT time FROM ask_tick LIMIT 20) x JOIN ask_tick y USING (time)"
    peaks, answers = [], []
    for limit in "--memory=1", "--memory=1024":
        process = subprocess.Popen([waymark, "sql", limit, trace, few], stdout=subprocess.PIPE, text=True)
        answers.append(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        peaks.append(usage.ru_maxrss)
    check("rows are read again beyond the limit", answers[0], answers[1])
    if "WAYMARK_SANITIZER" not in os.environ:
        check(f"KiB with a limit and without: {peaks}", peaks[0] + 2048 < peaks[1], True)


def check_growth(folder):
    trace = folder / "grows.ctf"
    with record(trace, 2000000) as process:
        counts = []
        while len(counts) < 5:
            status, out, note = run("--csv", trace, "SELECT count(*) AS n FROM ask_submit")
            if status == 0:
                counts.append(int(out.split()[1]))
                running = f"waymark sql: {trace}: its process still runs: these are its events so far\n"
                check("the note", note, running if process.poll() is None else note)
        process.kill()
    check(f"{counts} grow", counts == sorted(counts) and counts[0] < counts[-1], True)


def check_extension(trace):
    if not shutil.which("sqlite3"):
        check("the command sqlite3", "absent", "here")
        return
    told = subprocess.run(["sqlite3", ":memory:", f".load {extension}", f"SELECT waymark_open('{trace}')",
                           "SELECT count(*) > 0 FROM ask_rare JOIN events USING (time)",
                           "SELECT waymark_problems() IS NULL"], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("sqlite3 reads the trace", (told.returncode, told.stdout), (0, "5\n1\n1\n"))
    told = subprocess.run(["sqlite3", ":memory:", f".load {extension}", f"SELECT waymark_open('{trace}')",
                           f".load {extension}", "SELECT count(*) > 0 FROM ask_tick WHERE a = 5",
                           f"SELECT waymark_open('{trace}', '{trace}')", "SELECT count(*) FROM processes"], text=True,
                          timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("loaded and opened twice", (told.returncode, told.stdout), (0, "5\n1\n5\n2\n"))
    steps = ("import sqlite3, sys; db = sqlite3.connect(':memory:'); db.enable_load_extension(True); steps = []\n"
             "db.load_extension(sys.argv[1]); db.execute('SELECT waymark_open(?)', (sys.argv[2],))\n"
             "db.set_progress_handler(lambda: steps.append(1), 5)\n"
             "print(db.execute('SELECT count(*) FROM ask_tick WHERE a = 1 << 40').fetchall(), len(steps) > 9)")
    told = subprocess.run(["/usr/bin/python3", "-c", steps, extension, trace], text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check("a scan without rows can be interrupted", told.stdout, "[(0,)] True\n")
    told = subprocess.run(["sqlite3", ":memory:", f".load {extension}", "SELECT waymark_open('/nowhere')"], text=True,
                          timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    check(told.stdout, "waymark_open: cannot open: No such file or directory" in told.stdout, True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = folder / "ask.ctf"
        record(trace, 1000).wait()
        check_statements(trace)
        check_help(trace)
        check_names(trace)
        check_transaction(trace)
        check_signal(trace)
        check_damage(trace, folder)
        check_memory(trace)
        check_growth(folder)
        if os.environ.get("WAYMARK_SANITIZER") == "thread":  # TSan must be loaded first
            print("not under TSan: the extension, which sqlite3 loads")
        else:
            check_extension(trace)
    finish()


main()
