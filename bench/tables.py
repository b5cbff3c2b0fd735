# SPDX-License-Identifier: MIT
"""Prints the tables of run.py, one per topic."""

import jobs
from report import medians, number, table, verdicts


def recorders_of(bench):
    return (*bench.options.backends.split(","), *jobs.OTHERS)


def rows(bench, prefix, variants):
    """Returns a row for each recorder and variant. The outer loop is over the variants (label, suffix)."""
    return [((label, who), f"{prefix}.{suffix}" if suffix else prefix, who)
            for label, suffix in variants for who in recorders_of(bench)]


VARIANTS = (("two_u64, 1 thread", "two_u64.1"), ("two_u64, 2 threads", "two_u64.2"),
            ("u64_str, 1 thread", "u64_str.1"), ("u64_str, 2 threads", "u64_str.2"))
POLICIES = tuple((f"two_u64, full={policy}", f"{policy}.1") for policy in jobs.POLICIES)
LARGE = (("two_u64, 1 thread, bursts of a million", "large.1"),)
VCPUS = (("vcpu, on for all", "vcpu_all.1"), ("vcpu, on for this one", "vcpu_this.1"),
         ("vcpu, on for another", "vcpu_other.1"))
TOML = (("two_u64 in TOML", "toml_two_u64.1"), ("&str and &dyn Debug of u32", "toml_debug.1"),
        ("scope with two u64", "toml_scope.1"))


def show(bench, head, text, columns, lines):
    """A table of lines (cells of the head, prefix of the metrics, recorder)."""
    results = bench.results
    cells = [[*cells, *medians(results, prefix, who, columns),
              verdicts(results, prefix, who, columns)]
             for cells, prefix, who in lines if results.has(prefix, who)]
    if cells:
        table(*text, [*head, *columns, "to reach"], cells)


def recording(bench):
    show(bench, ("event", "recorder"), ("Into memory",
         "Bursts of 2000 events that fit into the buffer: what the recording thread pays, in ns.\n"
         "full=overwrite has 1 MiB and is not written out; nor is dpdk's rte_trace, a ring of 1 MiB for\n"
         "each thread, without huge pages, in which the string takes 32 bytes."),
         {"ns": "event_ns", "floor": "floor_ns", "x floor": "ratio"},
         rows(bench, "memory", (*VARIANTS, *POLICIES, *LARGE, *VCPUS, *TOML)))
    show(bench, ("event", "recorder"), ("To the disk",
         "Flat out until all are written; then a reader counts them. ns an event: of the recording\n"
         "thread, wall and CPU of all threads, the writer's. sync: until the disk has them."),
         {"ns": "event_ns", "x floor": "ratio", "M events/s": "million_per_s", "wall": "wall_ns",
          "CPU": "cpu_ns", "writer": "writer_ns", "sync, s": "sync_s", "lost": "lost"},
         rows(bench, "disk", VARIANTS))


LATENCY = ("p50", "p99", "p99.9", "p99.99", "max")


def latency(bench):
    """Each recorder has rows for the empty measurement and the floor, which show the machine's noise."""
    results, lines = bench.results, []
    for label, suffix in VARIANTS:
        for who in recorders_of(bench):
            for kind in ("empty", "floor", "event"):
                lines += latency_line(results, label, f"latency.{suffix}", who, kind)
    if lines:
        table("Latency", "5 million events a second and thread, ns (in steps of the clock) of "
              "single events,\nwithout the median of an empty measurement.",
              ("event", "recorder", "what", *LATENCY, "to reach"), lines)


def latency_line(results, label, prefix, who, kind):
    if not results.has(prefix, who):
        return []
    cells = []
    for p in LATENCY:
        ns = results.median(f"{prefix}.{kind}_{p}_ns", who)
        cells.append(f"{ns:.0f} ({results.median(f'{prefix}.{kind}_{p}_steps', who):.0f})")
    verdict = results.verdict(f"{prefix}.event_p99.99_steps", who) if kind == "event" else ""
    return [[label, who, kind, *cells, verdict and f"p99.99 in steps {verdict}"]]


def work(bench):
    show(bench, ("event", "recorder"), ("Inside work",
         "What an event adds to about 25 and 100 ns of multiplications that wait for each other, ns;\n"
         "beside it what the floor adds."),
         {"25": "event_25_ns", "floor 25": "floor_25_ns", "100": "event_100_ns",
          "floor 100": "floor_100_ns"},
         rows(bench, "work", (("two_u64", "two_u64"), ("two_u64, `@hot`", "hot_two_u64"), ("u64_str", "u64_str"))))


def small(bench):
    show(bench, ("recorder",), ("Threads",
         "A fresh thread's first event, us (of the process's first, the median, the worst);\n"
         "MiB of 1000 threads with 100 events each."),
         {"process's first": "first_of_process_us", "thread's first": "first_us",
          "worst": "first_worst_us", "MiB": "memory_mib"},
         [((who,), "threads", who) for who in recorders_of(bench)])
    disabled = [("next to an empty loop", "disabled", "loop_ns"),
                ("one of 2048, in random order", "sites", "call_ns")]
    table("Disabled", "What a call costs whose event is off, ns.",
          ("what", "without", "added", "all rounds", "to reach"),
          [(label, number(bench.results.median(f"{prefix}.{without}", "")),
            number(bench.results.median(f"{prefix}.added_ns", "")),
            bench.results.spread(f"{prefix}.added_ns", ""),
            bench.results.verdict(f"{prefix}.added_ns", ""))
           for label, prefix, without in disabled])


def condition(bench):
    table("Conditions", "Calls of an event with a condition, limits or an aggregation, ns: what one that is not recorded adds to\n"
          "an event that is off, and a true condition beside none.",
          ("what", "ns", "to reach"),
          [(label, number(bench.results.median(f"condition.{metric}", "")),
            bench.results.verdict(f"condition.{metric}", ""))
           for label, metric in (("false, of an integer: added", "integer_ns"),
                                 ("false, of a string of 16 bytes: added", "string_ns"),
                                 ("left out by every=: added", "every_ns"),
                                 ("left out by rate=: added", "rate_ns"),
                                 ("a pair timed by elapsed(), 10 000 open: added", "pair_ns"),
                                 ("only counted: added", "count_ns"),
                                 ("counted by a key of 16 values: added", "count_keyed_ns"),
                                 ("counted, and a histogram: added", "hist_ns"),
                                 ("true, of an integer", "true_ns"), ("no condition", "plain_ns"),
                                 ("true, x no condition", "true_ratio"))])


READERS = (("waymark print > /dev/null", "read.print"), ("waymark print > file", "read.print_file"),
           ("waymark info", "read.info"),
           ("waymark export --to=perfetto", "read.perfetto"), ("waymark export --to=chrome", "read.chrome"),
           ("waymark export --to=sqlite", "read.sqlite"),
           ("simpletrace > /dev/null", "read.simpletrace"),
           ("babeltrace2 > /dev/null", "read.babeltrace2"),
           ("babeltrace2 -o dummy", "read.dummy"),
           ("SELECT count(*)", "sql.count"), ("SELECT sum(a)", "sql.sum"),
           ("SELECT ... WHERE a > 1000 GROUP BY b & 7", "sql.group"),
           ("SELECT percentile(a, 99)", "sql.percentile"),
           ("two cores: SELECT count(*)", "sql.count_two"), ("two cores: SELECT sum(a)", "sql.sum_two"),
           ("two cores: SELECT ... WHERE a > 1000 GROUP BY b & 7", "sql.group_two"))


GUESTS = (
    ("loop", "without events (nop)", "guest.loop.nop", ""),
    ("loop", "events off", "guest.loop.off", ""),
    ("loop", "guest_block_exec on", "guest.loop.on", "ctf"),
    ("loop on two harts", "events off", "guest.pair.off", ""),
    ("loop on two harts", "guest_block_exec on for the other", "guest.pair.on", "ctf"),
    ("sha256", "without events (nop)", "guest.sha256.nop", ""),
    ("sha256", "events off", "guest.sha256.off", ""),
    ("sha256", "guest_block_exec on", "guest.sha256.on", "ctf"))


GUEST_COLUMNS = {"M instr./s": "million_per_s", "other hart": "other_million_per_s",
                 "time of nop": "time_of_nop",
                 "slower, %": "slowdown", "other, %": "other_slowdown",
                 "M events/s": "million_events_per_s"}


def guests(bench):
    """Leaves cells empty: not every column applies to every row."""
    results, lines = bench.results, []
    for *cells, prefix, who in GUESTS:
        if results.has(prefix, who):
            values = medians(results, prefix, who, GUEST_COLUMNS)
            lines.append([*cells, *("" if value == "-" else value for value in values),
                          verdicts(results, prefix, who, GUEST_COLUMNS)])
    if lines:
        table("Guest code", "The machine of examples/riscv: M instructions/s of a hart, and of the "
              "other one.\ntime of nop: times as long as the machine takes that was built without "
              "events.\nslower: than with events off.",
              ("guest", "machine", *GUEST_COLUMNS, "to reach"), lines)


def reader_line(bench, label, prefix, who, base):
    columns = {"M/s": "million_per_s", "x": "x_babeltrace2"}
    speed = bench.results.median(f"{prefix}.million_per_s", who)
    if speed is not None and base:
        bench.results.add(f"{prefix}.x_babeltrace2", who, speed / base)
    if prefix.endswith("_two"):
        one = bench.results.median(f"{prefix.removesuffix('_two')}.million_per_s", who)
        bench.results.add(f"{prefix}.x_one", who, speed / one)
    return [label, who, *medians(bench.results, prefix, who, columns),
            verdicts(bench.results, prefix, who, {**columns, "x one": "x_one"})]


def readers(bench, all_readers):
    results = bench.results
    base = (results.median("read.babeltrace2.million_per_s", "ctf") or
            results.median("read.babeltrace2.million_per_s", "lttng"))
    traces = (*bench.options.backends.split(","), "lttng", "sqlite3", "babeltrace2")
    lines = [reader_line(bench, label, prefix, who, base)
             for label, prefix in READERS for who in traces if results.has(prefix, who)]
    table("Reading", f"Whole commands on a trace of {all_readers.events} two_u64 events, one core "
          "each, but where two are named.\nbabeltrace2 reads the trace of ctf, or LTTng's where there is none. SELECT: waymark sql, sqlite3 on\n"
          "an imported copy, and babeltrace2 with awk.",
          ("command", "trace", "M events/s", "x babeltrace2", "to reach"), lines)


def print_tables(bench, all_readers, analyser):
    print(f"{bench.size.rounds} rounds, medians. The floor, in the same process and loop: read the "
          "clock, store 24 bytes.")
    recording(bench)
    latency(bench)
    work(bench)
    small(bench)
    condition(bench)
    guests(bench)
    readers(bench, all_readers)
    analyser.show()
    print(f"* counted by a reader, none missing: {bench.counted} traces")
    for what, reason in bench.absent.items():
        print(f"* not measured: {what}: {reason}")
    for metric in bench.results.unmeasured():
        print(f"* not measured: target {metric}")
    print(f"* other programs used {bench.others:.2f} processors meanwhile", end="")
    print(": do not rely on these numbers" if bench.others > 0.05 else "")
