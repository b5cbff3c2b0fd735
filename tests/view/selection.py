#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The answers to a selected time are those of the commands with --since and --until, and of SQL:
selection.py WAYMARK PROGRAM BLOCKCACHE
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import make_scopes
from served import Served, check, finish

WAYMARK, PROGRAM, BLOCKCACHE = map(os.path.realpath, sys.argv[1:4])
CHANCE = random.Random(30)
SVG = "{http://www.w3.org/2000/svg}"
SHOWN = ("--json", "--histogram", "--percentiles=50,99")


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09d}"


class Commands:
    """What the commands say of the time from `begin` to `end`, both in ns since boot."""

    def __init__(self, trace, begin, end):
        self.trace, self.time = trace, (f"--since={seconds(begin)}", f"--until={seconds(end)}")

    def run(self, command, *arguments):
        return subprocess.run([WAYMARK, command, *self.time, *map(str, arguments)], check=False, capture_output=True).stdout

    def json(self, command, *arguments):
        return json.loads(self.run(command, "--json", *arguments) or "null")

    def sql(self, query):
        return self.json("sql", self.trace, query)


def check_pairs(what, answer, commands):
    for pair in answer["pairs"]:
        by = pair["from_by"] if pair["from_by"] == pair["to_by"] else f"{pair['from_by']}={pair['to_by']}"
        report = commands.json("latency", "--histogram", "--percentiles=50,99", "--from", pair["from"], "--to",
                               pair["to"], "--by", by, commands.trace)
        check(f"{what}: {pair['from']} to {pair['to']}", pair["report"] if not pair["error"] else None, report)


def check_lives(what, answer, commands, first):
    tracked = commands.json("track", "--slowest=20", commands.trace)
    wanted = [(life["begin_ns"] - first, life["end_ns"] - life["begin_ns"], life["key"], life["life"], life["path"],
               life["tid"], life["count"]) for life in tracked["slowest"]] if tracked else []
    found = [tuple(life[k] for k in ("ns", "duration", "key", "kind", "path", "tid", "count")) for life in answer["lives"]]
    check(f"{what}: slowest lives", found, wanted)


def check_scopes(what, answer, commands, trace, time):
    """Scopes that are in the time, or cross its edges, by SQL over the whole trace."""
    every = Commands(trace, 0, 10**18)
    inside = f"time <= {time[1]} AND time + duration >= {time[0]} AND unfinished = 0"
    crossing = f"(time < {time[0]} OR time + duration > {time[1]})"
    rows = every.sql("SELECT name, count(*) AS count, sum(duration) AS total_ns, min(duration) AS min_ns, "
                     f"max(duration) AS max_ns, total({crossing}) AS crossing FROM scopes WHERE {inside} GROUP BY name")
    crosses = {c["name"]: c["count"] for c in answer["crossing"]}
    check(f"{what}: scopes", {row["name"]: [row[k] for k in ("count", "total_ns", "min_ns", "max_ns")] + [crosses.get(row["name"], 0)]
                              for row in answer["report"]["scopes"] if row["count"] > 0},
          {row["name"]: [row[k] for k in ("count", "total_ns", "min_ns", "max_ns", "crossing")] for row in rows})
    slowest = every.sql(f"SELECT duration, {crossing} AS crossing FROM scopes WHERE {inside} ORDER BY duration DESC LIMIT 20")
    check(f"{what}: slowest scopes", [(s["duration"], int(s["crossing"])) for s in answer["slices"]],
          [(row["duration"], row["crossing"]) for row in slowest])
    left = every.sql(f"SELECT count(*) AS n FROM scopes WHERE time <= {time[1]} AND unfinished = 1")[0]["n"]
    check(f"{what}: not ended", answer["report"]["unfinished"] + answer["report"]["end_lost"], left)
    if not crosses and left == 0:
        said = json.loads(commands.run("scopes", *SHOWN, trace))
        for row in said["scopes"]:
            del row["self_ns"]
        check(f"{what}: as waymark scopes", answer["report"], said)


def parts_of(trace, begin, end):
    """Of each name, the time of its scopes that is between two times since boot, by SQL."""
    ended = Commands(trace, 0, 10**18).sql("SELECT name, time, duration FROM scopes WHERE unfinished = 0")
    last = Commands(trace, 0, 10**18).sql("SELECT max(time) AS n FROM events")[0]["n"]
    unfinished = Commands(trace, 0, 10**18).sql("SELECT name, time FROM scopes WHERE unfinished = 1")
    sums = {}
    for name, start, stop in [(s["name"], s["time"], s["time"] + s["duration"]) for s in ended] + [
            (s["name"], s["time"], last) for s in unfinished]:
        part = min(stop, end) - max(start, begin)
        if part > 0:
            sums[name] = sums.get(name, 0) + part
    return sums


def check_flame(what, served, trace, first, time):
    """Each name has the part of its scopes that is in the time; thin frames are not drawn."""
    status, headers, body = served.get(f"/api/flame?from={time[0]}&to={time[1]}")
    check(f"{what}: flame", status, 200)
    root = xml.etree.ElementTree.fromstring(body)
    found = {}
    for frame in root.iterfind(f".//{SVG}g[@class='f']"):
        name = frame.find(SVG + "title").text.split("\n")[0]
        found[name] = found.get(name, 0) + int(frame.get("data-total"))
    left_out = int(root.find(f".//{SVG}tspan[@id='counts']").get("data-left-out"))
    missing = left_out * found.get("all", 0) // 12000 + left_out
    for name, part in parts_of(trace, first + time[0], first + time[1]).items():
        # The end of a scope that began inside Disk:outer is after its own: a frame has all of its inner ones.
        if name != "Disk:outer" and not part - missing <= found.get(name, 0) <= part:
            check(f"{what}: {left_out} left out, time of {name}", found.get(name, 0), part)
    return headers


def check_range(served, trace, first, begin, end):
    what = f"{trace} {begin} to {end}"
    commands = Commands(trace, first + begin, first + end)
    time = {"from": begin, "to": end}
    answer = served.ask("/api/select", **time)
    counts = commands.sql("SELECT event, count(*) AS n FROM events GROUP BY event")
    check(f"{what}: events", {e["name"]: e["count"] for e in answer["events"]}, {row["event"]: row["n"] for row in counts})
    check(f"{what}: all events", answer["records"], sum(row["n"] for row in counts))
    lost = commands.sql("SELECT count(*) AS places, total(lost) AS events, total(packets) AS packets FROM gaps")[0]
    check(f"{what}: losses", answer["lost"], lost)
    check_scopes(what, answer, commands, trace, (first + begin, first + end))
    check_pairs(what, answer, commands)
    check_lives(what, answer, commands, first)
    status, _, body = served.get(f"/api/csv?from={begin}&to={end}")
    check(f"{what}: csv", (status, body == commands.run("export", "--to=csv", trace)), (200, True))
    headers = check_flame(what, served, trace, first, (begin, end))
    check(f"{what}: is answered to the page only", headers["Cross-Origin-Resource-Policy"], "same-origin")
    check(f"{what}: its script is in a sandbox", "sandbox allow-scripts allow-modals;" in headers["Content-Security-Policy"]
          and "allow-same-origin" not in headers["Content-Security-Policy"], True)
    return answer


def check_threads(served, trace, known):
    """Only the records of chosen threads count."""
    tids = {row["tid"] for row in Commands(trace, 0, 10**18).sql("SELECT tid FROM threads")}
    for track, of in enumerate(known["tracks"]):
        if of["lane"] is None and of["tid"] in tids:
            answer = served.ask("/api/select", **{"from": 0, "to": known["length"] + 1, "tracks": track})
            said = subprocess.run([WAYMARK, "scopes", *SHOWN, f"--thread={of['tid']}", trace], check=True, capture_output=True)
            wanted = json.loads(said.stdout)
            for row in wanted["scopes"]:
                del row["self_ns"]
            check(f"scopes of thread {of['tid']}", answer["report"], wanted)


def check_trace(trace, more=0):
    """Compares the whole trace, some parts of it, and `more` parts anywhere."""
    with Served(WAYMARK, trace) as served:
        known = served.trace()
        first, length = int(known["first"]), known["length"]
        whole = check_range(served, trace, first, 0, length + 1)
        for begin, end in ((0, max(1, length // 3)), (length // 3, 2 * length // 3 + 1), (length // 2, length // 2 + 10000),
                           (length + 5, length + 9), *(sorted(CHANCE.sample(range(length), 2)) for _ in range(more))):
            check_range(served, trace, first, begin, end)
        check_threads(served, trace, known)
    return whole


def costs(process):
    """The bytes that a process has read, and the seconds that it took from the processors."""
    times = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    read = pathlib.Path(f"/proc/{process.pid}/io").read_text().split()[1]
    return int(read), sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def check_crowd(trace, scopes):
    """Scopes that began at one time, and end in all of the trace, are found with few readers, and soon."""
    with Served(WAYMARK, trace) as served:
        served.trace()
        before = costs(served.process)
        answer = served.ask("/api/select", **{"from": 0, "to": 1000})
        read, took = (b - a for a, b in zip(before, costs(served.process)))
        row = next(r for r in answer["report"]["scopes"] if r["name"] == "job")
        check("all have ended", (row["count"], answer["unknown"], answer["edges"]), (scopes, 0, True))
        check(f"{read} bytes were read", read < 4 * (trace / "metadata").stat().st_size, True)
        if "WAYMARK_SANITIZER" not in os.environ:
            check(f"it took {took} s", took < 0.6, True)


def check_damaged_crowd(trace):
    """Behind damage the rest is read once, and the ends there are found, too."""
    with open(trace / "stream-1003", "r+b") as f:
        f.seek(f.seek(0, os.SEEK_END) * 3 // 5 // 8 * 8)
        f.write(b"\xff" * 64)
    ended = Commands(trace, 0, 10**18).sql("SELECT count(*) AS n FROM scopes WHERE unfinished = 0")[0]["n"]
    with Served(WAYMARK, trace) as served:
        check("it is damaged", served.trace()["problems"] > 0, True)
        answer = served.ask("/api/select", **{"from": 0, "to": 1000})
        row = next(r for r in answer["report"]["scopes"] if r["name"] == "job")
        check("ends in a damaged trace", (row["count"], answer["unknown"]), (ended, 0))
        check(f"{ended} ends are behind it, too", 25000 < ended < 40000, True)


def check_wrong(trace):
    with Served(WAYMARK, trace) as served:
        served.trace()
        for path in "select", "flame", "csv":
            for query in ("", "from=0", "to=9", "from=9&to=9", "from=x&to=9", "from=0&to=-1", f"from=0&to={'9' * 30}",
                          "from=0&to=9&tracks=", "from=0&to=9&tracks=x", "from=0&to=9&tracks=1,,2"):
                status, headers, body = served.get(f"/api/{path}?{query}")
                check(f"{path} {query}", (status, "error" in json.loads(body), headers.get("Content-Disposition")),
                      (400, True, None))
        for slowest in "", "x", "101", "-1":
            check(f"slowest={slowest}", served.get(f"/api/select?from=0&to=9&slowest={slowest}")[0], 400)
        few = served.ask("/api/select", **{"from": 0, "to": 10**17, "slowest": 2})
        check("two slowest", len(few["slices"]), 2)
        moved = trace.with_name("moved")
        trace.rename(moved)
        check("a removed trace", served.get("/api/select?from=0&to=9")[0], 400)
        moved.rename(trace)


def check_unreadable(work):
    """Of a folder, one trace cannot be read: the others are answered for. One that vanished later is missed."""
    (work / "folder").mkdir()
    for name in "small", "other-uuid", "no-clock":
        (work / name).rename(work / "folder" / name)
    with Served(WAYMARK, work / "folder") as served:
        served.trace()
        printed = subprocess.run([WAYMARK, "print", *(work / "folder" / name for name in ("small", "other-uuid"))], check=False,
                                 capture_output=True).stdout
        events = sum(b"lost" not in line for line in printed.splitlines())
        check("events of the others", served.ask("/api/select", **{"from": 0, "to": 10**6})["records"], events)
        check("found", served.ask("/api/find", where="1", ns=0) is not None, True)
        (work / "folder/other-uuid").rename(work / "other-uuid")
        check("a part is not all", served.get("/api/select?from=0&to=100")[0], 400)


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        maker = pathlib.Path(__file__).resolve().parent.parent / "reader/make_ctf.py"
        subprocess.run([sys.executable, maker, work], check=True)
        subprocess.run([PROGRAM, "50"], check=True, env={**os.environ, "WAYMARK_TRACE": f"*,file={work / 'a.ctf'}"})
        (work / "data").write_bytes(bytes(range(256)) * 4096)
        cache = work / "cache.ctf"
        subprocess.run([BLOCKCACHE, "-trace", f"*,backend=ctf,full=block,file={cache}", "-n", "300", work / "data"],
                       check=True, stdout=subprocess.DEVNULL, timeout=60)
        check_trace(work / "a.ctf")
        seen = check_trace(cache)
        check("pairs are found by declared lives", ("request_begin", "request_end", "request") in
              [(p["from"], p["to"], p["from_by"]) for p in seen["pairs"]], True)
        check("and by names", ("worker_start", "worker_end", "@tid") in
              [(p["from"], p["to"], p["from_by"]) for p in seen["pairs"]], True)
        check("all lists have items", [len(seen[k]) for k in ("slices", "lives")], [20, 20])
        check("losses", check_trace(work / "many-packets")["lost"]["places"] > 0, True)
        make_scopes.write(work / "scopes", 400000)
        crossing = check_trace(work / "scopes", 5)["report"]["scopes"]
        check("long scopes", [(row["name"], row["count"] > 0) for row in crossing],
              [("job", True), ("main", True), ("phase", True)])
        make_scopes.write_crowd(work / "crowd", 400000, 40000)
        check_crowd(work / "crowd", 40000)
        check_damaged_crowd(work / "crowd")
        check_wrong(cache)
        check_unreadable(work)
    finish()


if __name__ == "__main__":
    main()
