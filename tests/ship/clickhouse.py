# SPDX-License-Identifier: MIT
"""A ClickHouse server of a test, with its own ports and folder, and a proxy that disturbs its connections."""

import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "common"))
from ports import free_port  # noqa: E402

PATIENCE = 120

CONFIG = """<yandex>
<logger><level>warning</level><log>{path}/log</log><errorlog>{path}/errors</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><listen_host>127.0.0.1</listen_host>{listen}
<path>{path}/data/</path><tmp_path>{path}/tmp/</tmp_path><format_schema_path>{path}/formats/</format_schema_path>
<users_config>{path}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>67108864</mark_cache_size><timezone>{zone}</timezone>
<remote_servers><pair>{shards}</pair></remote_servers>{more}
</yandex>"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"
USERS = """<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage>PROFILE</default></profiles>
<users>
<default><password></password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></default>
<shipper><password>s3cret@/x</password><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota></shipper>
</users>
<quotas><default><interval><duration>3600</duration><queries>0</queries><errors>0</errors><result_rows>0</result_rows>
<read_rows>0</read_rows><execution_time>0</execution_time></interval></default></quotas></yandex>"""


def is_installed():
    path = os.environ["PATH"] + ":/usr/sbin"
    return all(shutil.which(f"clickhouse-{what}", path=path) for what in ("server", "client"))


class Server:
    """`tcps`: the ports of all servers of the cluster `pair`, each a shard; `shards`: what it has instead."""

    def __init__(self, path, tcp=None, tcps=(), zone="UTC", more="", listen="127.0.0.1", shards=None, profile=""):
        self.path = pathlib.Path(path)
        self.http, self.tcp = free_port(), tcp or free_port()
        for folder in ("data", "tmp", "formats"):
            (self.path / folder).mkdir(parents=True)
        shards = shards or "".join(SHARD.format(port) for port in tcps or [self.tcp])
        (self.path / "config.xml").write_text(CONFIG.format(path=path, http=self.http, tcp=self.tcp, shards=shards, zone=zone, more=more,
                                                               listen="" if listen == "127.0.0.1" else f"<listen_host>{listen}</listen_host>"))
        (self.path / "users.xml").write_text(USERS.replace("PROFILE", profile))
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(["clickhouse-server", f"--config-file={self.path}/config.xml"], cwd=self.path,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"})
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.ask("SELECT 1")
                return
            except (OSError, urllib.error.URLError):
                assert self.process.poll() is None and time.monotonic() < end, (self.path / "errors").read_text()
                time.sleep(0.1)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def ask(self, query, database="waymark"):
        """Returns the answer, without its last newline."""
        address = f"http://127.0.0.1:{self.http}/?" + urllib.parse.urlencode(
            {"database": "default" if query == "SELECT 1" else database, "allow_experimental_low_cardinality_type": 1})
        try:
            with urllib.request.urlopen(address, query.encode(), timeout=PATIENCE) as answer:
                return answer.read().decode().removesuffix("\n")
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{query}: {error.read().decode()}") from None

    def number(self, query):
        return int(self.ask(query))

    def run(self, statements):
        """Runs what `waymark schema` prints, as its help says."""
        done = subprocess.run(["clickhouse-client", f"--port={self.tcp}", "--multiquery"], input=statements, text=True,
                              capture_output=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr

    def place(self, database="waymark", user="", port=None):
        return f"clickhouse://{user}127.0.0.1:{port or self.http}/{database}"


class Proxy:
    """Passes connections on to a port, and cuts them: before the request has arrived, or before its answer has.
    The port may change.

    `odds`: the share of connections that are cut. `ahead_s`: added to the time that answers tell.
    """

    def __init__(self, port, odds=0.0, ahead_s=0, seed=1, own=0):
        self.port, self.odds, self.ahead_s = port, odds, ahead_s
        self.chance = random.Random(seed)
        self.cuts = 0
        self.late_s = 0  # for which answers are held back
        self.instead = None  # an answer that clients get instead of the server's
        self.passed = 0  # bytes of requests
        self.seen = None  # these bytes, if a test sets it to b""
        self.is_bad = None  # takes bytes of a request: true if its connection shall be cut before them
        self.is_lost = None  # the same: true if the answer shall be cut
        self.change = None  # returns what the server gets instead of the bytes of a request
        self.listener = socket.create_server(("127.0.0.1", own))
        self.own = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        lost = threading.Event()
        try:
            with client, socket.create_connection(("127.0.0.1", self.port)) as server:
                back = threading.Thread(target=self.answer, args=(server, client, lost), daemon=True)
                back.start()
                left = self.chance.randrange(1, 60000) if self.chance.random() < self.odds / 2 else None
                while piece := client.recv(1 << 16):
                    if left is not None and (left := left - len(piece)) < 0:
                        self.cuts += 1
                        return
                    if self.is_bad and self.is_bad(piece):
                        self.cuts += 1
                        return
                    if self.is_lost and self.is_lost(piece):
                        lost.set()
                    self.passed += len(piece)
                    if self.seen is not None:
                        self.seen += piece
                    server.sendall(self.change(piece) if self.change else piece)
        except OSError:
            pass

    def answer(self, server, client, lost):
        try:
            while piece := server.recv(1 << 16):
                if lost.is_set() or self.chance.random() < self.odds / 2:
                    self.cuts += 1
                    client.shutdown(socket.SHUT_RDWR)
                    return
                if self.instead is not None:
                    client.sendall(self.instead)
                    client.shutdown(socket.SHUT_RDWR)
                    return
                time.sleep(self.late_s)
                client.sendall(self.shift(piece))
            client.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def shift(self, piece):
        if not self.ahead_s or b"Date: " not in piece:
            return piece
        head, rest = piece.split(b"Date: ", 1)
        date, rest = rest.split(b"\r\n", 1)
        then = time.strptime(date.decode(), "%a, %d %b %Y %H:%M:%S %Z")
        later = time.gmtime(time.mktime(then) - time.timezone + self.ahead_s)
        return head + b"Date: " + time.strftime("%a, %d %b %Y %H:%M:%S GMT", later).encode() + b"\r\n" + rest
