#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""twice.py KIND WAYMARK ...: the tables of `waymark sql`, and `waymark track`, have what Python finds in
babeltrace2's text of the same trace, or in the text of the kernel's trace. The kinds of traces are

    blockcache WAYMARK BLOCKCACHE             a program with requests, scopes and threads
    stratovirt WAYMARK TRACETOOL ROOT LIBRARY all events of StratoVirt's declarations
    qemu WAYMARK ROOT                         a boot of SeaBIOS, recorded by the tree of trees.py
    kernel WAYMARK PROGRAM                    what the kernel captured of a program and itself
"""
import collections
import json
import math
import os
import pathlib
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
for folder in "common", "analyse", "ftrace", "qemu":
    sys.path.insert(1, f"{HERE}/../{folder}")
from compare import check, finish  # noqa: E402
from ftrace import read, run_test, write  # noqa: E402
from lives_reference import lives  # noqa: E402
from records import Tree, read_capture, read_native, signed  # noqa: E402

WAYMARK = os.path.realpath(sys.argv[2])
WINDOWS = 12
LONGEST_LIFE = 2000
LONGEST_PATH = 64
SKIPPED = 77


def answers(trace, queries, *options):
    """Returns the rows of each query, objects."""
    done = subprocess.run([WAYMARK, "sql", "--json", *options, str(trace), "; ".join(queries)], text=True, timeout=300,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(f"{queries}: {done.stderr}", done.returncode, 0)
    found, text = [], done.stdout.lstrip()
    while text:
        one, end = json.JSONDecoder().raw_decode(text)
        found.append(one)
        text = text[end:].lstrip()
    check(f"{queries}: answers", len(found), len(queries))
    return found + [[]] * (len(queries) - len(found))


def rows(trace, query, *options):
    return [tuple(row.values()) for row in answers(trace, [query], *options)[0]]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


# ---- Tables of events ----

trees = {}  # what is shown of an object, by its tokens


def shown(item):
    """Returns a value as the JSON of SQL has it."""
    if isinstance(item, tuple):
        item = item[0]
    if isinstance(item, Tree):
        return item
    if isinstance(item, bytes):
        return item.hex()
    return signed(item) if isinstance(item, int) else item


def same(found, wanted):
    if isinstance(wanted, Tree):
        return isinstance(found, str) and trees.setdefault(wanted, found) == found
    if isinstance(wanted, float):
        return math.isclose(found, wanted, rel_tol=1e-5)  # babeltrace2 prints six digits
    return found == wanted and isinstance(found, type(wanted))


def check_rows(name, found, records, since):
    """Every row of a table is a record."""
    check(f"{name}: rows", len(found), len(records))
    fields = records[0].fields.keys()

    def order(time, tid, values):  # those of one time may be in any order
        return time, tid, repr(values)
    rows_in_order = sorted(found, key=lambda r: order(r["time"], r.get("_tid", r["tid"]), [r.get(k) for k in fields]))
    in_order = sorted(records, key=lambda r: order(r.ns, r.tid, [shown(v) for v in r.fields.values()]))
    for row, record in zip(rows_in_order, in_order):
        head = [row.get("_" + key, row[key]) for key in ("time", "pid", "tid", "process")]
        wrong = [(key, row.get(key), item) for key, item in record.fields.items() if not same(row.get(key), shown(item))]
        if head != [record.ns - since, record.pid, record.tid, record.process] or wrong:
            check(f"{name}: {head}: {wrong}", row, (record.ns - since, record.pid, record.tid, record.fields))
            break


def totals_of(table, column, values):
    """Yields queries of integers, and the answers."""
    overflows = len(values) * max(map(abs, values)) >= 2**63
    term = f"{column} & 1048575" if overflows else column
    total = sum(item & 1048575 if overflows else item for item in values)
    middle = sorted(values)[len(values) // 2]
    yield (f"SELECT count(*), sum({term}), min({column}), max({column}) FROM {table}",
           [(len(values), total, min(values), max(values))])
    yield f"SELECT count(*) AS n FROM {table} WHERE {column} > {middle}", [(sum(item > middle for item in values),)]


def texts_of(table, column, values):
    counts = collections.Counter(values)
    one = max(filter(None, counts), default="")
    yield f"SELECT {column}, count(*) FROM {table} GROUP BY 1", sorted(counts.items(), key=repr)
    yield f"SELECT count(*) AS n FROM {table} WHERE {column} = '{one.replace(chr(39), 2 * chr(39))}'", [(counts[one],)]


def questions_about(name, records):
    """Yields queries of each field, and their answers."""
    for field in records[0].fields:
        values = [shown(record.fields[field]) for record in records]
        is_bytes = any(isinstance(record.fields[field], bytes) for record in records)
        if all(isinstance(item, int) for item in values):
            yield from totals_of(quoted(name), quoted(field), values)
        elif not is_bytes and all(isinstance(item, (str, type(None))) for item in values):
            yield from texts_of(quoted(name), quoted(field), values)


def check_many_groups(trace, records):
    """Threads of the command that share a trace have different groups, in other ways each time."""
    wanted = collections.Counter(record.fields["request"] for record in records if record.name == "request_begin")
    for _ in range(25):
        found = rows(trace, "SELECT request, count(*) FROM request_begin GROUP BY request")
        check("groups of threads", dict(found) == wanted, True)


def check_tables(trace, records, since):
    by_name = collections.defaultdict(list)
    for record in records:
        by_name[record.name].append(record)
    for name, own in by_name.items():
        questions = list(questions_about(name, own))
        all_rows, *found = answers(trace, [f"SELECT * FROM {quoted(name)} ORDER BY time"] + [q for q, _ in questions])
        check_rows(name, all_rows, own, since)
        for (query, wanted), one in zip(questions, found):
            check(query, sorted((tuple(row.values()) for row in one), key=repr), wanted)
    return len(by_name)


def check_events(trace, records, since):
    """Counts of all events, by thread and in windows of time."""
    by_name = collections.Counter(record.name for record in records)
    check("counts", sorted(rows(trace, "SELECT event, count(*) FROM events GROUP BY event")), sorted(by_name.items()))
    by_thread = collections.Counter((record.pid, record.tid, record.name) for record in records)
    check("counts of threads", collections.Counter({row[:3]: row[3] for row in rows(
        trace, "SELECT pid, tid, event, count(*) FROM events GROUP BY pid, tid, event")}), by_thread)
    times = sorted(record.ns - since for record in records)
    chance = random.Random(1)
    for _ in range(WINDOWS):
        first, last = sorted((chance.choice(times), chance.choice(times)))
        wanted = collections.Counter(record.name for record in records if first <= record.ns - since <= last)
        query = "SELECT event, count(*) FROM events"
        check(f"{first} to {last}", dict(rows(trace, f"{query} WHERE time BETWEEN {first} AND {last} GROUP BY 1")), wanted)
        options = [f"--{word}={ns // 10**9}.{ns % 10**9:09}" for word, ns in (("since", first), ("until", last))]
        check(f"{options}", dict(rows(trace, f"{query} GROUP BY 1", *options)), wanted)
    for tid in chance.sample(sorted({record.tid for record in records}), 1):
        check(f"thread {tid}", rows(trace, "SELECT count(*), min(time), max(time) FROM events", f"--thread={tid}"),
              [(len(own), min(own), max(own)) for own in [[r.ns - since for r in records if r.tid == tid]]])


# ---- The other tables ----

def check_processes(trace, records, since, lost):
    first, last, counts, processes = {}, {}, collections.Counter(), collections.Counter()
    for record in records:
        key = record.pid, record.tid, record.process
        counts[key] += 1
        first[key] = min(record.ns - since, first.get(key, record.ns))
        last[key] = max(record.ns - since, last.get(key, 0))
        processes[record.pid, record.process] += 1
    for *key, ns in rows(trace, "SELECT pid, tid, process, time FROM gaps"):  # a thread may end with one
        first[tuple(key)], last[tuple(key)] = min(ns, first[tuple(key)]), max(ns, last[tuple(key)])
    check("threads", sorted(rows(trace, "SELECT pid, tid, process, events, first, last FROM threads WHERE events > 0")),
          sorted((*key, counts[key], first[key], last[key]) for key in counts))
    check("processes", sorted(rows(trace, "SELECT pid, process, events, realtime FROM processes")),
          sorted((*key, number, since) for key, number in processes.items()))
    check("gaps", rows(trace, "SELECT coalesce(sum(lost + overwritten), 0) FROM gaps"), [(lost,)])
    check("lost of threads", rows(trace, "SELECT sum(lost) FROM threads"), [(lost,)])
    declared = collections.defaultdict(set)
    for event, field in rows(trace, "SELECT event, field FROM declarations"):
        declared[event] |= {field} - {None}
    for record in records:
        if not {"scope", "scope_tid"} & set(record.fields):  # of trace points, which are not declared
            check(f"declaration of {record.name}", declared[record.name], set(record.fields))


def spans_of(records, since):
    """Returns the rows of the table of scopes, from begins and ends with the same number."""
    begun, spans, stacks = {}, [], collections.defaultdict(list)
    for record in records:
        number = record.fields.get("scope")
        if number is None:
            continue
        if "scope_tid" not in record.fields:
            begun[record.pid, number] = span = {"begin": record, "inner": 0}
            stacks[record.pid, record.tid].append(span)
            continue
        span = begun.pop((record.pid, number))
        begin, stack = span["begin"], stacks[record.pid, span["begin"].tid]
        check(f"end of {begin.name}", record.name, begin.name + "_end")
        stack.remove(span)
        length, is_own = record.ns - begin.ns, record.tid == begin.tid
        if stack and is_own:
            stack[-1]["inner"] += length
        own = length - span["inner"] if is_own else None
        spans.append((begin.ns - since, begin.name, length, own, begin.pid, begin.tid, record.tid, 0))
    return spans + [(span["begin"].ns - since, span["begin"].name, None, None, span["begin"].pid, span["begin"].tid, None,
                     1) for span in begun.values()]


def check_scopes(trace, records, since):
    wanted = spans_of(records, since)
    found = rows(trace, "SELECT time, name, duration, self, pid, tid, end_tid, unfinished FROM scopes")
    check("scopes", sorted(found, key=repr) == sorted(wanted, key=repr) or next(
        pair for pair in zip(sorted(found, key=repr), sorted(wanted, key=repr)) if pair[0] != pair[1]), True)
    return len(wanted)


# ---- Objects ----

def summary(groups):
    return {key: (len(lengths), sum(lengths), min(lengths), max(lengths)) for key, lengths in groups.items()}


def path_of(life):
    """Returns the names of the steps, a part that is repeated at once only once; () if there were ever too many."""
    path = []
    for event in life.events:
        path.append(event.name)
        sizes = [size for size in range(1, len(path) // 2 + 1) if path[-size:] == path[-2 * size:-size]]
        if sizes:
            del path[-sizes[0]:]
        if len(path) > LONGEST_PATH:
            return ()
    return tuple(path)


def groups_of(found):
    groups = collections.defaultdict(list)
    for life in found:
        groups[path_of(life), life.state].append(life.end - life.begin)
    return summary(groups)


def check_track(what, trace, records, key, *options, begins=None, ends=None):
    """The lives by a key; returns them."""
    found, unbegun, outside = lives([(0, record) for record in records], lambda _, record: key(record), begins, ends)
    done = subprocess.run([WAYMARK, "track", "--json", *options, str(trace)], text=True, timeout=300, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(f"{what}: {done.stderr}", done.returncode, 0)
    told = json.loads(done.stdout)
    paths = {(tuple(step["event"] for step in row["steps"]), row["state"]): (
        row["count"], row["total_ns"], row["min_ns"], row["max_ns"]) for row in told["paths"] + told["without_end"]}
    wanted = groups_of(found)
    for path in sorted(set(paths) | set(wanted)):
        check(f"{what}: {path}", paths.get(path), wanted.get(path))
    check(f"{what}: numbers", (told["lives"], told["unbegun"], told["outside"]), (len(found), unbegun, outside))
    return found


def check_shared_fields(trace, records, declared=None, most=8):
    """Objects by fields that several events have; `declared` has the begins and ends of some."""
    events, numbers = collections.defaultdict(set), collections.defaultdict(collections.Counter)
    for record in records:
        for field, item in record.fields.items():
            events[field].add(record.name)
            numbers[field][item] += 1
    # Those of events that the trace does not have may be of another type, which cannot be compared.
    other = {field for field, kind in rows(trace, "SELECT field, type FROM declarations")
             if re.search("dyn|char|str|f64", kind or "")}
    fields = [field for field, names in events.items() if len(names) > 1 and field not in other | {"scope", "scope_tid"}
              and all(isinstance(item, int) for item in numbers[field]) and max(numbers[field].values()) < LONGEST_LIFE]
    fields.sort(key=lambda field: -sum(numbers[field].values()))
    for field in fields[:most]:
        begins, ends = (declared or {}).get(field, (None, None))
        check_track(f"track --by={field}", trace, records, lambda record, f=field: record.fields.get(f), f"--by={field}",
                    begins=begins, ends=ends)
    return fields[:most]


def is_clear(records):
    """False if two threads recorded events at one time: readers may order them as they like."""
    return all(a.ns != b.ns or a.tid == b.tid for a, b in zip(records, records[1:]))


def check_native(trace):
    records, lost = read_native(trace)
    since = rows(trace, "SELECT DISTINCT realtime FROM processes")[0][0]
    tables = check_tables(trace, records, since)
    check_events(trace, records, since)
    check_processes(trace, records, since, lost)
    scopes = check_scopes(trace, records, since) if lost == 0 else "?"
    print(f"{len(records)} records, {tables} tables, {scopes} scopes, {lost} lost")
    return records, since


# ---- The kinds of traces ----

def record(program, trace, *arguments, options="full=block", **how):
    environment = dict(os.environ, WAYMARK_TRACE=f"*,backend=ctf,{options},file={trace}")
    subprocess.run([program, *map(str, arguments)], env=environment, check=True, timeout=120,
                   stdout=subprocess.DEVNULL, **how)


def of_blockcache(work, blockcache):
    (work / "data").write_bytes(os.urandom(1 << 20))
    for attempt in range(20):
        trace = work / f"{attempt}.ctf"
        record(blockcache, trace, "--write=20", "--requests=400", work / "data")
        if is_clear(read_native(trace)[0]):
            break
    records, since = check_native(trace)
    keys = {"request_begin": "request", "request_end": "request", "io_alloc": "io", "io_free": "io",
            "io_submit": "io", "io_complete": "io"}
    found = check_track("declared lives", trace, records, lambda record: record.name in keys and (
        keys[record.name], record.fields[keys[record.name]]) or None,
        begins={"request_begin", "io_alloc"}, ends={"request_end", "io_free"})
    wanted = sorted((life.begin - since, life.key[1], life.end - life.begin, len(life.events), life.events[0].name,
                     life.events[-1].name, life.state) for life in found)
    told = sorted((time, int(key, 0), *rest) for time, key, *rest in rows(
        trace, "SELECT time, key, duration, events, first, last, outcome FROM lives"))
    check("lives", told == wanted or [pair for pair in zip(told, wanted) if pair[0] != pair[1]][:2], True)
    print("by", check_shared_fields(trace, records, {"request": ({"request_begin"}, {"request_end"}),
                                                     "io": ({"io_alloc"}, {"io_free"})}))
    # Most events are lost.
    record(blockcache, work / "lost.ctf", "--write=20", "--requests=4000", work / "data", options="full=discard,buffer=1M")
    records, _ = check_native(work / "lost.ctf")
    check_many_groups(work / "lost.ctf", records)


def check_exported(work, records):
    """A table for SQLite has the same values."""
    subprocess.run([WAYMARK, "export", "--to=sqlite", "-o", work / "db", work / "fire.ctf"], check=True, timeout=60)
    exported = sqlite3.connect(work / "db")
    exported.row_factory = sqlite3.Row
    for record in records:
        row = exported.execute(f"SELECT * FROM {quoted(record.name)}").fetchone()
        for field, item in record.fields.items():
            found = row[field].hex() if isinstance(row[field], bytes) else row[field]
            check(f"exported {record.name}.{field}: {found}", same(found, shown(item)), True)


def of_stratovirt(work, tracetool, root, library):
    declarations = pathlib.Path(os.environ.get("WAYMARK_SHARED") or f"{root}/../shared") / "data/stratovirt"
    if not declarations.is_dir():
        print(f"skipped: there is no {declarations} (WAYMARK_SHARED)")
        sys.exit(SKIPPED)
    run = lambda *words: subprocess.run(list(map(str, words)), check=True, cwd=work, stderr=subprocess.DEVNULL)  # noqa: E731
    for form in "h", "c":
        run(tracetool, f"--format={form}", "--backends=ctf,log", "--group=strato", "-o", f"trace.{form}",
            "--header=trace.h", declarations)
    run(sys.executable, f"{root}/tests/stratovirt/fire.py", "trace.h", "fire.c", "fire.rs",
        *sorted(declarations.glob("*.toml")))
    flags = ["-fsanitize=thread"] if os.environ.get("WAYMARK_SANITIZER") == "thread" else []
    run("gcc", *flags, f"-I{root}/include", "fire.c", "trace.c", library, f"-Wl,-rpath,{os.path.dirname(library)}", "-o",
        "fire")
    record(work / "fire", work / "fire.ctf", stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    records, _ = check_native(work / "fire.ctf")
    print("by", check_shared_fields(work / "fire.ctf", records))
    check_exported(work, records)
    request = 'Request { sector: 4096, name: "a\\"b", iovec: [1, 255] }'
    check("objects", set(trees.values()), {request, f"Read({request})", "Some(255)", "None", "(-42, 1.0, true)"})


def of_qemu(work, root):
    from trees import Tree as Source, boot
    built = pathlib.Path(os.environ.get("WAYMARK_QEMU_WORK") or "missing")
    source = built / "10.2/waymark"
    if not (source / "build/qemu-system-x86_64").exists():
        print(f"skipped: there is no {source}/build/qemu-system-x86_64 (WAYMARK_QEMU_WORK): run trees.py of {root}")
        sys.exit(SKIPPED)
    boot(Source("waymark", "10.2", None, built / "10.2", built / "installed"), WAYMARK, work)
    records, _ = check_native(work / "boot.ctf")
    print("by", check_shared_fields(work / "boot.ctf", records))


SYSTEM_CALLS = "raw_syscalls", "sched/sched_switch", "sched/sched_waking"


def capture(b, path):
    """The kernel captures a program that marks its scopes, and what both do with the kernel."""
    write(b.buffer + "/trace_clock", "mono")
    write(b.buffer + "/options/event-fork", "1")
    write(b.buffer + "/set_event_pid", str(os.getpid()))
    for enabled in "1", "0":
        for events in SYSTEM_CALLS:
            write(f"{b.buffer}/events/{events}/enable", enabled)
        if enabled == "1":
            subprocess.run([b.program, "document=60", "values=-3", "flows=9"], check=True, timeout=60, env={
                **os.environ, "WAYMARK_TRACE": f"*,backend=ftrace;ftrace.instance={b.instance};ftrace.style=text"})
            write(b.buffer + "/tracing_on", "0")  # reading it takes system calls, which would be recorded
    path.write_text(read(b.buffer + "/trace"))


def check_capture(trace):
    own, scopes, others = read_capture(trace.read_text())
    check_tables(trace, own, 0)
    everything = sorted(own + scopes + others, key=lambda record: record.ns)
    times = [record.ns for record in everything]
    check("all", rows(trace, "SELECT count(*), min(time), max(time) FROM events"), [(len(times), times[0], times[-1])])
    chance = random.Random(1)
    for _ in range(WINDOWS):
        first, last = sorted((chance.choice(times), chance.choice(times)))
        check(f"{first} to {last}", rows(trace, f"SELECT count(*) FROM events WHERE time BETWEEN {first} AND {last}"),
              [(sum(first <= ns <= last for ns in times),)])
    of_thread = collections.defaultdict(list)
    for record in everything:
        of_thread[record.tid].append(record.ns)
    check("threads", sorted(rows(trace, "SELECT tid, events, first, last FROM threads")),
          sorted((tid, len(own), min(own), max(own)) for tid, own in of_thread.items()))
    check("processes", rows(trace, "SELECT pid, events FROM processes"), [(0, len(times))])
    check("gaps", rows(trace, "SELECT count(*) FROM gaps"), [(0,)])
    spans = check_scopes(trace, scopes, 0)
    calls = [record for record in own if record.name in ("sys_enter", "sys_exit")]
    found = check_track("system calls", trace, calls, lambda record: record.tid, "--by=@tid", "--event=sys_*",
                        "--from=sys_enter", "--to=sys_exit", begins={"sys_enter"}, ends={"sys_exit"})
    print(f"{len(own)} of the kernel, {spans} scopes, {len(others)} other marks, {len(found)} system calls")
    check("there are all", min(len(own), spans, len(others), len(found)) > 3, True)


def of_kernel(work, program):
    def test(b):
        capture(b, work / "capture")
        check_capture(work / "capture")
    run_test(program, test)


KINDS = {"blockcache": of_blockcache, "stratovirt": of_stratovirt, "qemu": of_qemu, "kernel": of_kernel}


def main():
    with tempfile.TemporaryDirectory() as work:
        KINDS[sys.argv[1]](pathlib.Path(work), *map(os.path.realpath, sys.argv[3:]))
    finish()


main()
