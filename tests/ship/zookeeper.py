# SPDX-License-Identifier: MIT
"""A ZooKeeper of a test, and ClickHouse servers that are replicas of one shard."""

import pathlib
import shutil
import signal
import socket
import subprocess
import time

from clickhouse import PATIENCE, Proxy, Server, free_port

JAR = pathlib.Path("/usr/share/java/zookeeper.jar")
CONFIG = """tickTime=200
dataDir={path}
clientPort={port}
clientPortAddress=127.0.0.1
admin.enableServer=false
4lw.commands.whitelist=srvr
"""
# Of a replica; the sessions are short, so that one whose server was killed ends soon, and each second a table looks
# whether it has one, rather than each minute.
MORE = """<zookeeper><node><host>127.0.0.1</host><port>{zookeeper}</port></node><session_timeout_ms>3000</session_timeout_ms></zookeeper>
<merge_tree><zookeeper_session_expiration_check_period>1</zookeeper_session_expiration_check_period></merge_tree>
<macros><shard>1</shard><replica>{name}</replica></macros>
<interserver_http_host>127.0.0.1</interserver_http_host><interserver_http_port>{interserver}</interserver_http_port>
<distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>"""
# When an old server passes on statements, it forgets the settings of the session.
PROFILE = "<allow_experimental_low_cardinality_type>1</allow_experimental_low_cardinality_type>"
SHARDS = "<shard><internal_replication>true</internal_replication>{}</shard>"
REPLICA = "<replica><host>127.0.0.1</host><port>{}</port></replica>"


def why_not():
    """Returns why there can be none."""
    if not (JAR.exists() and shutil.which("java")):
        return "there is no ZooKeeper or no java (Debian's libzookeeper-java and default-jre-headless)"
    return None


class ZooKeeper:
    def __init__(self, path):
        self.path, self.port = pathlib.Path(path), free_port()
        self.path.mkdir()
        (self.path / "zoo.cfg").write_text(CONFIG.format(path=self.path / "data", port=self.port))
        self.start()

    def start(self):
        with open(self.path / "log", "a") as log:
            self.process = subprocess.Popen(["java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                                             "-Dzookeeper.forceSync=no", "-cp", JAR,
                                             "org.apache.zookeeper.server.ZooKeeperServerMain", self.path / "zoo.cfg"],
                                            stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE
        while not self.is_well():
            assert self.process.poll() is None and time.monotonic() < end, (self.path / "log").read_text()
            time.sleep(0.1)

    def is_well(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as s:
                s.sendall(b"srvr")
                return b"Mode: " in b"".join(iter(lambda: s.recv(4096), b""))
        except OSError:
            return False

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Replicas:
    """Two replicas of a shard of the cluster `pair`; each asks the ZooKeeper through a proxy of its own."""

    def __init__(self, path, zookeeper):
        tcps = free_port(), free_port()
        shards = SHARDS.format("".join(REPLICA.format(tcp) for tcp in tcps))
        self.proxies = [Proxy(zookeeper.port) for _ in tcps]
        self.all = [Server(pathlib.Path(path) / name, tcp=tcp, shards=shards,
                           profile=PROFILE, more=MORE.format(zookeeper=proxy.own, name=name, interserver=free_port()))
                    for name, tcp, proxy in zip("ab", tcps, self.proxies)]

    def kill(self):
        for server in self.all:
            server.kill()
        for proxy in self.proxies:
            proxy.close()
