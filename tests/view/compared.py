# SPDX-License-Identifier: MIT
"""What the page of `waymark view` draws, compared with answers in SQL over the same time.

compare_all() looks at the whole trace and at three short times of it, and scrolls through all tracks. From near each
item that is one slice, event or gap must be one of SQL with the same times and name; items that stand for several must
have their number and time together. From far each step of each row must have the number that SQL has.
"""

import bisect
import collections
import math

import browser
from browser import wait_for
from served import check

HEIGHT = 3000  # of the window: few screens show all tracks
NEAR_EVENTS = 60  # in a short time
TRIES = 30  # of 0.3 s: answers that are still on their way

# Questions that are not answered yet are counted; parts of the page are called by name.
BEGIN = """globalThis.pending = 0; globalThis.ownFetch = fetch;
    globalThis.fetch = async (...given) => { pending++; try { return await ownFetch(...given); } finally { pending--; } };
    globalThis.part = {}; for (const name of ["view", "layout", "bars", "curves", "sched"]) {
        import(`./${name}.js`).then((module) => { part[name] = module; }); } 0"""
QUIET = "pending === 0"
# The rows of all boxes on the screen, as their functions draw them.
DRAWN = """(() => {
    const rows = { track: (b) => part.bars.rowsOf(waymark.tile, b.track), curve: (b) => [part.curves.rowOf(b.source)],
        lives: (b) => b.source.rows(), cpu: (b) => b.source.rows() };
    return part.layout.visibleBoxes(waymark, timeline.clientHeight - 26).filter((b) => b.kind !== "process").map((b) => ({
        kind: b.kind, key: b.key, name: b.name, process: b.source.process, tid: b.source.tid, lane: b.source.lane,
        field: b.source.field, left: b.source.left ?? 0, rows: rows[b.kind](b).filter((r) => r).map((r) => ({ ...r,
            items: r.items.map((i) => b.kind === "track" ? i.toSpliced(2, 1, waymark.trace.names[i[2]]) : i) })),
        states: part.sched.statesOf(b.source) ?? [] })); })()"""

Item = collections.namedtuple("Item", "begin end name count covered")


class Known:
    """Traces, as SQL knows them. Times are since the first record, as those of the page."""

    def __init__(self, waymark, traces, first):
        self.waymark, self.traces, self.first = waymark, traces, first
        self.answers = {}
        self.paths = [row["trace"] for row in self.ask("SELECT trace FROM processes GROUP BY trace ORDER BY min(rowid)")]
        self.lanes = set()

    def ask(self, question):
        if question not in self.answers:
            self.answers[question] = browser.ask_sql(self.waymark, self.traces, question, check=False)
        return self.answers[question]

    def place(self, row, tid="tid"):
        """The thread of a row, as the page names it."""
        return self.paths.index(row["trace"]), row["pid"] or 0, row[tid] or 0

    def track(self, row):
        """The lane of a scope if it is asynchronous, else its thread."""
        lane = (*self.place(row)[:2], row["name"])
        return lane if lane in self.lanes else self.place(row)

    def short_times(self):
        """Three times with some events each."""
        count = self.ask("SELECT count(*) AS n FROM events")[0]["n"]
        for share in 1, 3, 5:
            at = max(0, min(count * share // 6, count - NEAR_EVENTS))
            times = self.ask(f"SELECT time FROM events ORDER BY time LIMIT {NEAR_EVENTS} OFFSET {at}")
            if times:
                begin, end = (row["time"] - self.first for row in (times[0], times[-1]))
                yield begin, max(end, begin + 10)


# ---- From near ----

def matched(what, items, wanted, time):
    """Compares items by rows with what is wanted: (begin, end, name). An end after the time is not known: None."""
    begin, end = time
    left = collections.Counter((b, None if e is None or e > end else e, name) for b, e, name in wanted)
    joined = []
    for item in items:
        key = (item.begin, None if item.end is None or item.end > end else item.end, item.name)
        if left[key] and item.count <= 1:
            left[key] -= 1
        else:
            joined.append(item)
    rest = [(max(b, begin), end if e is None else e) for (b, e, _), n in left.items() for _ in range(n)]
    number = sum(n for (b, _, _), n in left.items() if b >= begin)
    ns, low, high = sum(e - b for b, e in rest), *covered(joined, time)
    times = together(joined)
    outside = [r for r in rest if not all(is_in(times, ns) for ns in r)]
    pairs = (("number", sum(item.count for item in joined), number), ("ns", ns, max(low, min(high, ns))),
             ("outside of all", outside[:3], []))
    return [(f"{what}: {name} of {len(joined)} items of several", seen, wanted) for name, seen, wanted in pairs
            if seen != wanted]


def covered(items, time):
    """The least and the largest time that items cover within a time: that of several in one is not known apart."""
    begin, end = time
    low = high = 0
    for item in items:
        outside = max(0, begin - item.begin) + max(0, (item.end or end) - end)
        low += max(0, item.covered - outside)
        high += item.covered - (outside if item.count <= 1 and item.covered == (item.end or end) - item.begin else 0)
    return low, high


def together(items):
    """The times that items cover together, in order."""
    times = []
    for begin, end in sorted((item.begin, math.inf if item.end is None else item.end) for item in items):
        if times and begin <= times[-1][1]:
            times[-1][1] = max(times[-1][1], end)
        else:
            times.append([begin, end])
    return times


def is_in(times, ns):
    at = bisect.bisect(times, [ns, math.inf]) - 1
    return at >= 0 and ns <= times[at][1]


def uncut(items):
    """Joins the parts of slices that were cut where an outer slice ended."""
    whole, begins = [], {}
    for item in sorted(items, key=lambda i: i.begin):
        before = begins.pop((item.begin, item.name), None) if item.count == 0 else None
        if before is not None:
            whole.remove(before)
            item = Item(before.begin, item.end, item.name, before.count, before.covered + item.covered)
        whole.append(item)
        if item.end is not None and item.count <= 1:
            begins[(item.end, item.name)] = item
    return whole


def near_wanted(known, begin, end):
    """Slices, events and losses by track."""
    low, high, inside = known.first + begin, known.first + end, f"BETWEEN {known.first + begin} AND {known.first + end}"
    scopes = known.ask("SELECT time, duration, unfinished, name, trace, pid, tid, end_tid FROM scopes "
                       f"WHERE time <= {high} AND (unfinished != 0 OR time + duration >= {low})")
    slices, marks, losses = (collections.defaultdict(list) for _ in range(3))
    others, names = collections.Counter(), collections.defaultdict(set)
    for row in known.ask(f"SELECT time, event, trace, pid, tid FROM events WHERE time {inside}"):
        others[known.place(row), row["time"] - known.first] += 1
        names[known.place(row), row["time"] - known.first].add(row["event"])
    for row in scopes:
        at, until = row["time"] - known.first, None if row["unfinished"] else row["time"] + row["duration"] - known.first
        slices[known.track(row)].append((at, until, row["name"]))
        if at >= begin:
            others[known.place(row), at] -= 1
        if until is not None and until <= end:
            others[known.place(row, "end_tid"), until] -= 1
    for (thread, ns), count in others.items():
        marks[thread] += [(ns, frozenset(names[thread, ns]))] * count
    for row in known.ask(f"SELECT time, lost, trace, pid, tid FROM gaps WHERE time {inside}"):
        losses[known.place(row)].append((row["time"] - known.first, max(row["lost"], 1)))
    return slices, marks, losses


def compare_marks(what, items, wanted):
    """Events in their order: each item has the next ones, and one of their names."""
    wanted = sorted(wanted, key=lambda mark: mark[0])
    if sum(item.count for item in items) != len(wanted):
        return [(f"{what}: events", sum(item.count for item in items), len(wanted))]
    at, wrong = 0, []
    for item in sorted(items):
        own = wanted[at:at + item.count]
        at += item.count
        if (item.begin, item.end) != (own[0][0], own[-1][0]) or not any(item.name in names for _, names in own):
            wrong.append((item, own[:3]))
    return [(f"{what}: events at other times or of other names", wrong[:3], [])] if wrong else []


def compare_losses(what, items, wanted):
    """Each gap is in one item, which has its number of lost events."""
    seen = [(item.begin, item.end, item.count) for item in sorted(items)]
    known = [(begin, end, sum(lost for ns, lost in wanted if begin <= ns <= end)) for begin, end, _ in seen]
    total = sum(lost for _, lost in wanted)
    if seen != known or sum(count for _, _, count in seen) != total:
        return [(f"{what}: gaps", seen[:5], (known[:5], total))]
    return []


def compare_near(known, rows, time):
    slices, marks, losses = near_wanted(known, *time)
    differences = []
    for track in rows.keys() | slices.keys() | marks.keys() | losses.keys():
        own = rows.get(track, {})
        what = f"{time}, track {track}"
        differences += matched(what, uncut(own.get("slice", [])), slices[track], time)
        differences += compare_marks(what, own.get("event", []), marks[track])
        differences += compare_losses(what, own.get("loss", []), losses[track])
    return differences


# ---- From far ----

def steps_of(rows):
    """The begin and the width of the steps that all items have."""
    items = [item for own in rows.values() for kind in own.values() for item in kind]
    base = min((item.begin for item in items), default=0)
    return base, math.gcd(*(n for item in items for n in (item.end - item.begin, item.begin - base))) or 1


def far_wanted(known, base, width):
    """Numbers by track, kind and step, and the time of slices by track."""
    counts, covered = collections.Counter(), collections.Counter()
    step = f"(%s - {known.first + base}) / {width} AS step"
    last = known.ask("SELECT max(t) AS n FROM (SELECT max(time) AS t FROM events UNION ALL SELECT max(time) FROM gaps)")[0]["n"]
    for row in known.ask(f"SELECT {step % 'time'}, count(*) AS n, trace, pid, tid FROM events GROUP BY step, trace, pid, tid"):
        counts[known.place(row), "event", row["step"]] += row["n"]
    for row in known.ask(f"SELECT {step % 'time'}, count(*) AS n, name, trace, pid, tid, sum(CASE unfinished WHEN 0 THEN duration "
                         f"ELSE {last} - time END) AS ns FROM scopes GROUP BY step, name, trace, pid, tid"):
        counts[known.track(row), "slice", row["step"]] += row["n"]
        counts[known.place(row), "event", row["step"]] -= row["n"]
        covered[known.track(row)] += row["ns"]
    for row in known.ask(f"SELECT {step % 'time + duration'}, count(*) AS n, trace, pid, end_tid FROM scopes WHERE unfinished = 0 "
                         "GROUP BY step, trace, pid, end_tid"):
        counts[known.place(row, "end_tid"), "event", row["step"]] -= row["n"]
    for row in known.ask(f"SELECT {step % 'time'}, sum(max(lost, 1)) AS n, trace, pid, tid FROM gaps GROUP BY step, trace, pid, tid"):
        counts[known.place(row), "loss", row["step"]] += row["n"]
    return +counts, +covered


def compare_far(known, rows):
    base, width = steps_of(rows)
    seen, time = collections.Counter(), collections.Counter()
    for track, kinds in rows.items():
        for kind, items in kinds.items():
            for item in items:
                seen[track, kind, (item.begin - base) // width] += item.count
                time[track] += item.covered if kind == "slice" else 0
    counts, covered = far_wanted(known, base, width)
    wrong = [key for key in seen.keys() | counts.keys() if seen[key] != counts[key]]
    differences = [(f"whole: step of {width} ns, {key}", seen[key], counts[key]) for key in wrong[:5]]
    if +time != covered:
        differences.append(("whole: time of slices", +time, covered))
    return differences


# ---- Other tracks ----

def value_differences(name, row, values, time, is_near):
    """Every item of a curve is what the values between it and the item before it are. Returns the differences."""
    begin, end = time
    inside = [(t, v) for t, v in values if begin <= t <= end]
    before = [v for t, v in values if t < begin]
    pairs = [(f"{name}: count", sum(item[4] for item in row["items"]), len(inside))]
    if is_near:
        pairs.append((f"{name}: before", row["before"], before[-1] if before else None))
    at = 0
    for ns, low, high, last, count in row["items"]:
        own = inside[at:at + count]
        at += count
        pairs.append((f"{name}: at {ns}", (ns, low, high, last),
                      (own[-1][0], min(v for _, v in own), max(v for _, v in own), own[-1][1]) if own else None))
    return [pair for pair in pairs if pair[1] != pair[2]]


def compare_curve(known, box, process, time):
    event, field = box["field"].split(".", 1)
    rows = known.ask(f"SELECT time - {known.first} AS t, \"{field}\" AS v FROM \"{event}\" WHERE \"{field}\" IS NOT NULL AND "
                     f"trace = '{known.paths[process[0]]}' AND pid = {process[1]} ORDER BY time")
    return value_differences(box["name"], box["rows"][0], [(row["t"], row["v"]) for row in rows], time, False)


def compare_lives(known, box, process, time):
    begin, end = time
    rows = known.ask(f"SELECT time - {known.first} AS t, duration, key, outcome FROM lives WHERE life = '{box['name']}' AND "
                     f"trace = '{known.paths[process[0]]}' AND pid = {process[1]} AND time <= {known.first + end}")
    wanted = [(row["t"], row["t"] + row["duration"] if row["outcome"] == "ended" else None, f"{box['name']} {row['key']}")
              for row in rows]
    items = [Item(*item[:5]) for row in box["rows"] if row["kind"] == "slice" for item in row["items"]]
    return matched(f"{time}, lives of {box['name']}", items, [w for w in wanted if w[1] is None or w[1] >= begin], time)


def spans_in(spans, time):
    """Of what began before the first record the page does not know since when."""
    begin, end = time
    return [(max(b, -1), e, what) for b, e, what in spans if b <= end and e >= max(0, begin)]


def compare_cpu(sched, box, time):
    items = [Item(*item[:2], int(item[2].split()[0]), *item[3:5]) for row in box["rows"] for item in row["items"]]
    return matched(f"{time}, {box['name']}", items, spans_in(sched[box["name"]], time), time)


def compare_states(sched, box, time):
    items = [Item(*item[:5]) for item in box["states"]]
    return matched(f"{time}, states of {box['name']}", items, spans_in(sched.get(box["tid"], []), time), time)


# ---- All tracks ----

def show(page, begin, end):
    page.evaluate(f"part.view.show({{ from: {begin}, to: {end} }}); 0")


def screens(page):
    """Scrolls through all tracks; returns each box once."""
    boxes, before = {}, None
    page.evaluate("part.view.scrollBy(-1e9); 0")
    while before != (before := page.evaluate("waymark.scroll")):
        for _ in range(3):
            wait_for(page, QUIET)
        boxes.update({box["key"]: box for box in page.evaluate(DRAWN)})
        page.evaluate("part.view.scrollBy(timeline.clientHeight / 2); 0")
    return list(boxes.values())


def rows_by_track(boxes, processes):
    """Items of threads and lanes, by track and kind. Lanes of a name are one track."""
    rows = {}
    for box in boxes:
        if box["kind"] == "track":
            process = processes[box["process"]]
            track = (process["trace"], process["pid"], box["tid"] if box["lane"] is None else box["lane"])
            own = rows.setdefault(track, collections.defaultdict(list))
            for row in box["rows"]:
                own[row["kind"]] += [Item(*item[:5]) for item in row["items"]]
    return rows


def differences_in(page, known, time, sched):
    boxes, processes = screens(page), page.evaluate("waymark.trace.processes")
    known.lanes = {(processes[box["process"]]["trace"], processes[box["process"]]["pid"], box["lane"])
                   for box in boxes if box["kind"] == "track" and box["lane"] is not None}
    rows = rows_by_track(boxes, processes)
    is_near = page.evaluate("waymark.tile?.near ?? true")
    found = compare_near(known, rows, time) if is_near else compare_far(known, rows)
    for box in boxes:
        process = processes[box["process"]] if box["kind"] in ("curve", "lives") else {}
        place = process.get("trace"), process.get("pid")
        if box["kind"] == "curve":
            found += compare_curve(known, box, place, time)
        elif box["kind"] == "lives" and not box["left"]:
            found += compare_lives(known, box, place, time)
        elif box["kind"] == "cpu":
            found += compare_cpu(sched, box, time)
        elif sched and box["kind"] == "track" and box["lane"] is None:
            found += compare_states(sched, box, time)
    return found, boxes, is_near


def compare(page, known, begin, end, sched=None):
    """Compares what is drawn of a time; returns the boxes, and if it was drawn from near."""
    show(page, begin, end)
    for _ in range(TRIES):
        found, boxes, is_near = differences_in(page, known, (begin, end), sched)
        if not found:
            break
    for difference in found[:10]:
        check(*difference)
    check(f"{begin} to {end}: differences", len(found), 0)
    return boxes, is_near


def begin(page):
    page.call("Emulation.setDeviceMetricsOverride", width=1300, height=HEIGHT, deviceScaleFactor=1, mobile=False)
    wait_for(page, "Boolean(globalThis.waymark?.trace?.done)", tries=3000)
    page.evaluate(BEGIN)
    wait_for(page, "Object.keys(part).length", 5)


def compare_all(page, waymark, traces, sched=None):
    """Compares the whole time and three short ones; returns the boxes of the whole, and if it was drawn from near."""
    begin(page)
    first, length = page.evaluate("[waymark.trace.first, waymark.trace.length]")
    known = Known(waymark, traces, int(first))
    whole = compare(page, known, 0, max(length, 10), sched)
    for time in known.short_times():
        _, is_near = compare(page, known, *time, sched)
        check("a short time is drawn from near", is_near, True)
    check("no faults", [fault for fault in page.faults if "readback" not in str(fault)], [])
    return whole
