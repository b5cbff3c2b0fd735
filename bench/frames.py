#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How long a frame of the timeline takes in Chromium: frames.py [FOLDER-OF-THE-PAGE]

200 tracks with 500 slices each: 100 frames, each moved on a little, of all slices and of a twentieth, on a screen of
1300x800 and on one that has room for all tracks. Prints milliseconds, median and p95: of draw() alone, and until the
pixels can be read back.
"""

import functools
import http.server
import json
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "tests/flame"))
import chromium  # noqa: E402

PAGE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css">
<canvas id="timeline"></canvas>"""

SCRIPT = """(async () => {
    const canvas = document.getElementById("timeline");
    const { Drawing } = await import("/draw.js");
    const { layout } = await import("/layout.js");
    const { nameTracks } = await import("/tracks.js");
    const [tracks, slices, length] = [200, 500, 1e9];
    const names = [null, ...Array.from({ length: 60 }, (_, i) => `Layer:operation_${i}`)];
    const trace = { processes: [{ trace: 0, pid: 1, name: "p" }], tracks: [], names, length, done: true };
    const rows = Array.from({ length: tracks }, (_, track) => {
        const wide = length / slices;

        trace.tracks.push({ process: 0, tid: 100 + track, depth: 1, lane: null, count: 1, busy: 1, first: 0 });
        return { track, kind: "slice", depth: 0, items: Array.from({ length: slices }, (_, i) =>
            [i * wide, (i + 0.9) * wide, 1 + (i * 7 + track) % 60, i % 3 ? 1 : 4, wide / 2]) };
    });
    const app = { trace, tile: { rows }, view: null, scroll: 0, fixed: 0, boxes: [], chosen: null, selection: null };

    nameTracks(trace);
    Object.assign(app, layout(trace, canvas.clientHeight));
    const drawing = new Drawing(canvas);
    const results = [];

    for (const zoom of [1, 20]) {
        const times = [[], []];

        for (let i = 0; i < 100; i++) {
            const wide = length / zoom;
            const from = i / 100 * (length - wide) + i * 1000;

            app.view = { from, to: from + wide };
            const begin = performance.now();

            drawing.draw(app);
            times[0].push(performance.now() - begin);
            drawing.context.getImageData(0, 0, 1, 1);
            times[1].push(performance.now() - begin);
            await new Promise(requestAnimationFrame);
        }
        results.push(...times.map((t) => t.toSorted((a, b) => a - b)).map((t) => [t[50], t[95]]));
    }
    globalThis.result = JSON.stringify(results);
})().catch((error) => { globalThis.result = JSON.stringify(String(error.stack)); }); 0"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parent / "src/cmd/view/page"
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        for file in folder.iterdir():
            shutil.copy(file, work)
        (work / "index.html").write_text(PAGE)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=work))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"{'screen':12}{'all: draw':>14}{'with pixels':>14}{'1/20: draw':>14}{'with pixels':>14}")
        for height in 800, 7500:
            with chromium.Page(f"http://127.0.0.1:{server.server_address[1]}/") as page:
                page.call("Emulation.setDeviceMetricsOverride", width=1300, height=height, deviceScaleFactor=1, mobile=False)
                page.evaluate(f"document.getElementById('timeline').style.position = 'static'; "
                              f"document.getElementById('timeline').style.height = '{height}px'")
                page.evaluate(SCRIPT)
                while not page.evaluate("globalThis.result"):
                    time.sleep(0.2)
                result = json.loads(page.evaluate("globalThis.result"))
                if isinstance(result, str):
                    sys.exit(result)
                print(f"1300x{height:<7}" + "".join(f"{low:7.1f}{high:7.1f}" for low, high in result))
        server.shutdown()


if __name__ == "__main__":
    main()
