#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Strangers and bad questions are refused by `waymark view`: access.py WAYMARK PROGRAM

Other origins, other names of this machine, wrong tokens, paths that lead elsewhere, numbers that are
none, many and slow connections, a trace that is removed, signals, places that are taken.
"""

import http.client
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time

from served import Served, check, finish

WAYMARK, PROGRAM = map(os.path.realpath, sys.argv[1:3])
QUESTIONS = ("/", "/app.js", "/api/trace", "/api/tile?from=0&to=9&columns=9&tracks=0", "/nothing")


def check_strangers(served):
    wrong = [served.token[:-1], served.token + "0", "0" * 32, "", served.token.upper() + "x"]
    for path in QUESTIONS:
        check(f"{path} without a token", served.get(path, token=False)[0], 401)
        for token in wrong:
            check(f"{path} with '{token}'", served.get(path, token=token)[0], 401)
        check(f"{path}: no name of another machine", served.get(path, Host="waymark.example:80")[0], 421)
        check(f"{path}: another port", served.get(path, Host=f"127.0.0.1:{served.port + 1}")[0], 421)
        check(f"{path}: another name", served.get(path, Host=f"127.0.0.1.evil.example:{served.port}")[0], 421)
        for origin in ("http://evil.example", "null", f"https://127.0.0.1:{served.port}",
                       f"http://127.0.0.1:{served.port}0"):
            check(f"{path} from {origin}", served.get(path, Origin=origin)[0], 403)
        check(f"{path} from another site", served.get(path, Sec_Fetch_Site="cross-site")[0], 403)
        check(f"{path} from a sibling", served.get(path, Sec_Fetch_Site="same-site")[0], 403)
    for path in ("/", "/app.js", "/api/trace", f"/{'0' * 32}/", f"/{'0' * 32}/api/trace", f"{served.folder}0/api/trace",
                 served.folder, f"/x{served.folder}/", f"/{served.token}/"):
        check(f"{path} is not the page's", served.request(path)[0], 401)
    for _ in range(10000):
        guess = os.urandom(16).hex()
        assert served.get("/api/trace", token=guess)[0] == 401, guess


def check_welcome(served):
    check("a wrong token", served.request(f"/?token={'0' * 32}", token=False)[0], 401)
    status, headers, _ = served.request(f"/?token={served.token}", token=False)
    check("the token is taken out of the address", (status, headers["Location"]), (302, f"{served.folder}/"))
    check("the folder is another secret", (len(served.folder), served.folder[1:] != served.token), (33, True))
    cookie = headers["Set-Cookie"]
    check(cookie, all(word in cookie for word in ("HttpOnly", "SameSite=Strict", served.token, f"Path={served.folder}/")), True)
    status, headers, body = served.get("/")
    check("the page", (status, headers["Content-Type"], b"<canvas" in body), (200, "text/html; charset=utf-8", True))
    check("its policy", "default-src 'none'" in headers["Content-Security-Policy"], True)
    check("for no other page", headers["Cross-Origin-Resource-Policy"], "same-origin")
    check("from its own page", served.get("/api/trace", Origin=f"http://127.0.0.1:{served.port}",
                                          Sec_Fetch_Site="same-origin")[0], 200)
    check("by its other name", served.get("/api/trace", Host=f"localhost:{served.port}")[0], 200)


def check_questions(served):
    for path in ("/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/api/trace/x", "/API/TRACE",
                 "/api/", "/index.html"):
        check(path, served.get(path)[0], 404)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
        check(method, served.get("/api/trace", method=method)[0], 405)
    right = {"from": "0", "to": "100", "columns": "10", "tracks": "0"}
    wrong = {"from": ["", "-1", "x", "1e3", "101", "9" * 40, "0x1", "%201"],
             "to": ["", "0", "-1", "9" * 19, "%00"],
             "columns": ["", "0", "4001", "x", "-1", "1.5"],
             "tracks": ["", ",", "0,", "x", "-1", "0,,1", "9" * 20, "0;1"]}
    for name, values in wrong.items():
        for value in values:
            query = "&".join(f"{k}={value if k == name else v}" for k, v in right.items())
            status, _, body = served.get(f"/api/tile?{query}")
            fine = name == "tracks" and value == "0,"
            check(f"{name}={value}: {body[:80]}", status, 200 if fine else 400)
        query = "&".join(f"{k}={v}" for k, v in right.items() if k != name)
        check(f"no {name}", served.get(f"/api/tile?{query}")[0], 400)
    for query, words in (("", b"an expression"), ("&where=", b"error"), ("&where=no_such_field>1", b"error"),
                         ("&where=req%3E", b"error"), ("&where=" + "(" * 5000, b"error")):
        status, _, body = served.get(f"/api/find?ns=0{query}")
        check(f"find {query[:30]}: {body[:80]}", (status, words in body), (400, True))
    check("a time that is none", served.get("/api/find?ns=x&where=req>1")[0], 400)
    for query in ("", "from=0&to=9", "from=0&to=9&columns=9", "from=9&to=0&columns=9&begin=0",
                  "from=0&to=9&columns=4001&begin=0", "from=0&to=9&columns=9&begin=-1"):
        check(f"hits {query}", served.get(f"/api/hits?where=req>1&{query}")[0], 400)
    for query in ("", "field=submit.bytes", "field=nothing.x&from=0&to=9&columns=9", "field=bytes&from=0&to=9&columns=9",
                  "field=text.text&from=0&to=9&columns=9", "field=submit.bytes&from=0&to=9&columns=0"):
        check(f"curve {query}", served.get(f"/api/curve?{query}")[0], 400)
    for query in ("", "from=0&to=9", "from=0&to=9&columns=0", "from=9&to=0&columns=9"):
        check(f"lives {query}", served.get(f"/api/lives?{query}")[0], 400)
    for query in ("", "from=0&to=9", "from=0&to=9&ns=x&trace=0&offset=0", "from=9&to=0&ns=0&trace=0&offset=0"):
        check(f"flow {query}", served.get(f"/api/flow?{query}")[0], 400)
    for query in ("", "from=0&to=9", "from=0&to=9&columns=0"):
        check(f"sched {query}", served.get(f"/api/sched?{query}")[0], 400)
    for query in ("", "columns=0", "columns=4001", "columns=x"):
        check(f"overview {query}", served.get(f"/api/overview?{query}")[0], 400)
    check("no such event", served.get("/api/event?ns=1&trace=0&offset=1")[0], 400)
    check("no such track", served.get("/api/tile?from=0&to=9&columns=9&tracks=999999")[2], b'{"near":true,"columns":9,"rows":[],"estimates":[]}')
    check("it still answers", served.get("/api/trace")[0], 200)


def check_connections(served):
    """Many connections that say nothing, or very slowly, do not keep others from being answered for long."""
    silent = []
    for _ in range(40):
        silent.append(socket.create_connection(("127.0.0.1", served.port)))
        silent[-1].send(b"GET /api/tr")
    check("beside 40 silent ones", served.get("/api/trace")[0], 200)
    for connection in silent:
        connection.close()
    long = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    try:
        long.request("GET", "/" + "x" * 200000)
        check("a long path", long.getresponse().status >= 400, True)
    except (http.client.HTTPException, OSError):
        pass
    check("after a long path", served.get("/api/trace")[0], 200)


def check_places(trace, work):
    path = work / "socket"
    with subprocess.Popen([WAYMARK, "view", f"--listen=unix:{path}", trace], stdout=subprocess.PIPE, text=True) as process:
        said = process.stdout.readline(), process.stdout.readline()
        check("how to forward", str(path) in said[0] and "token=" in said[1], True)
        check("only for its user", stat.S_IMODE(path.stat().st_mode), 0o600)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(path))
        connection.send(b"GET /api/trace HTTP/1.0\r\nHost: localhost:8080\r\n\r\n")
        check("by the socket", connection.recv(100).split()[1], b"401")
        connection.close()
        process.send_signal(signal.SIGINT)
    check("the socket is removed", path.exists(), False)
    killed = subprocess.Popen([WAYMARK, "view", f"--listen=unix:{path}", trace], stdout=subprocess.PIPE, text=True)
    killed.stdout.readline()
    killed.kill()
    killed.communicate()
    with subprocess.Popen([WAYMARK, "view", f"--listen=unix:{path}", trace], stdout=subprocess.PIPE, text=True) as process:
        check("the socket of a killed server is replaced", str(path) in process.stdout.readline(), True)
        process.terminate()
    path.write_text("a file")
    for arguments, words in ((["--listen", f"unix:{path}"], "exists and is not a socket"),
                             (["--listen", f"unix:{work}/{'x' * 200}"], "too long"),
                             (["--listen", "8080"], "unix:PATH"), (["--port", "70000"], "not a port"),
                             (["--port", "80000000000"], "not a port"), (["--port=1", "--listen=unix:x"], "two places")):
        done = subprocess.run([WAYMARK, "view", *arguments, trace], capture_output=True, text=True, timeout=20, check=False)
        check(f"{arguments}: {done.stderr}", (done.returncode != 0, words in done.stderr), (True, True))
    check("the file is kept", path.read_text(), "a file")
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = subprocess.run([WAYMARK, "view", f"--port={other.getsockname()[1]}", trace], capture_output=True,
                              text=True, timeout=20, check=False)
        check(f"a taken port: {done.stderr}", (done.returncode, "Address already in use" in done.stderr), (1, True))


def check_ends(trace, work):
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        with Served(WAYMARK, trace) as served:
            begin = time.monotonic()
            check(f"signal {number}", served.end(number), (0, ""))
            check("it ends at once", time.monotonic() - begin < 5, True)
    done = subprocess.run([WAYMARK, "view", work / "nothing"], capture_output=True, text=True, timeout=20, check=False)
    check(f"no trace: {done.stderr}", (done.returncode, done.stdout, "No such file" in done.stderr), (1, "", True))
    with Served(WAYMARK, trace) as served:
        known = served.trace()
        moved = work / "moved"
        trace.rename(moved)
        tile = served.tile(0, known["length"], tracks=[0])
        check("a removed trace is still seen from far", (tile["near"], len(tile["rows"]) > 0), (False, True))
        check("and the reason is said", ("cannot be read again" in tile["far"], "No such file" in tile["far"]), (True, True))
        check("but not its events", served.get("/api/event?ns=0&trace=0&offset=88")[0], 400)
        moved.rename(trace)
        check("when it is back", served.tile(0, known["length"], tracks=[0])["near"], True)


def main():
    with tempfile.TemporaryDirectory(prefix="waymark-view-") as name:
        work = pathlib.Path(name)
        trace = work / "a.ctf"
        subprocess.run([PROGRAM, "50"], check=True, env={**os.environ, "WAYMARK_TRACE": f"*,file={trace}"})
        with Served(WAYMARK, trace) as served:
            served.trace()
            check_strangers(served)
            check_welcome(served)
            check_questions(served)
            check_connections(served)
            check("the end", served.end(), (0, ""))
        check_places(trace, work)
        check_ends(trace, work)
    finish()


if __name__ == "__main__":
    main()
