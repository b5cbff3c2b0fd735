#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests encrypted connections, with a certificate authority of their own: tls.py WAYMARK PACED OTHER [TEST...]"""

import shutil
import subprocess
import sys

from clickhouse import PATIENCE, Proxy, Server, free_port
from shipped import Shipped, main

PASSWORD = "s3cret@/x"
CONFIG = """<https_port>{port}</https_port><openSSL><server><certificateFile>{path}/server.pem</certificateFile>
<privateKeyFile>{path}/server.key</privateKeyFile><verificationMode>none</verificationMode>
<loadDefaultCAFile>false</loadDefaultCAFile></server></openSSL>"""


class Certificates:
    """A folder with ca.pem, another.pem, and certificates for 127.0.0.1: good.pem, expired.pem."""

    def __init__(self, path):
        self.path = path
        path.mkdir()
        (path / "names").write_text("subjectAltName=IP:127.0.0.1\n")
        for name in "ca", "another":
            self.openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem",
                         "-subj", f"/CN=Test {name}", "-days", "2")
        self.openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server")
        for name, days in ("good", 2), ("expired", -1):
            self.openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                         "-days", str(days), "-extfile", "names", "-out", f"{name}.pem")
        self.use("good")

    def openssl(self, *args):
        subprocess.run(["openssl", *args], cwd=self.path, check=True, capture_output=True, timeout=PATIENCE)

    def use(self, name):
        shutil.copy(self.path / f"{name}.pem", self.path / "server.pem")


class Tls(Shipped):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.kill()
        cls.certificates = Certificates(cls.folder / "certificates")
        cls.port = free_port()
        cls.server = Server(cls.folder / "encrypted", more=CONFIG.format(port=cls.port, path=cls.certificates.path))

    def setUp(self):
        super().setUp()
        self.count_made = self.recorded(2, 1000, 0)

    def place(self, port=None, host="127.0.0.1"):
        return f"clickhouses://shipper@{host}:{port or self.port}/waymark"

    def send(self, *args, ca="ca.pem", to=None, status=0):
        return self.ship_all(f"--ca={self.certificates.path / ca}", self.work / "t.ctf", *args, to=to or self.place(), status=status,
                             env={"CLICKHOUSE_PASSWORD": PASSWORD})

    def assert_refused(self, text, **more):
        """One error, with or without --once; nothing was sent."""
        for once in True, False:
            if once:
                notes = self.send(status=1, **more)
            else:
                shipper = self.ship(f"--ca={self.certificates.path / more.get('ca', 'ca.pem')}", self.work / "t.ctf",
                                    to=more.get("to") or self.place(), env={"CLICKHOUSE_PASSWORD": PASSWORD})
                self.assertEqual(shipper.wait(PATIENCE), 1, self.notes(shipper))
                notes = self.notes(shipper)
            self.assertRegex(notes, f"^waymark ship: [^ ]+: .*{text}[^\n]*\n$")
        self.assertEqual(self.count(), 0)

    def test_events_arrive_and_the_password_is_not_seen(self):
        proxy = Proxy(self.port)
        self.addCleanup(proxy.close)
        proxy.seen = b""
        self.send(to=self.place(port=proxy.own))
        self.assert_steps([self.count_made])
        self.assertGreater(len(proxy.seen), 1000)
        for text in PASSWORD, "shipper", "INSERT", "SELECT", "waymark":
            self.assertNotIn(text.encode(), proxy.seen)

    def test_connections_that_are_cut(self):
        proxy = Proxy(self.port, odds=0.3)
        self.addCleanup(proxy.close)
        shipper = self.ship(f"--ca={self.certificates.path / 'ca.pem'}", "--interval=0.05", f"--traces={self.work}",
                            to=self.place(port=proxy.own), env={"CLICKHOUSE_PASSWORD": PASSWORD})
        counts = [self.count_made] + [self.recorded(2, 2000, 0, trace=f"{n}.ctf") for n in range(3)]
        self.wait_for(lambda: self.count() >= sum(counts))
        shipper.terminate()
        self.assertEqual(shipper.wait(PATIENCE), 0)
        self.assert_steps(counts)

    def test_another_authority(self):
        self.assert_refused("self-signed certificate|unable to get local issuer|self signed", ca="another.pem")

    def test_the_authorities_of_the_system(self):
        notes = self.ship_all(self.work / "t.ctf", to=self.place(), status=1)
        self.assertRegex(notes, "certificate")
        self.assertEqual(self.count(), 0)

    def test_another_name(self):
        self.assert_refused("does not match|no alternative certificate subject name matches", to=self.place(host="localhost"))

    def test_an_expired_certificate(self):
        self.server.kill()
        self.certificates.use("expired")
        self.server.start()
        try:
            self.assert_refused("certificate has expired")
        finally:
            self.server.kill()
            self.certificates.use("good")
            self.server.start()

    def test_no_file_of_authorities(self):
        self.assert_refused("missing.pem", ca="missing.pem")

    def test_a_port_without_encryption(self):
        """The server's port for plain HTTP never gets the password."""
        proxy = Proxy(self.server.http)
        self.addCleanup(proxy.close)
        proxy.seen = b""
        notes = self.send(to=self.place(port=proxy.own), status=1)
        self.assertRegex(notes, "(?i)ssl")
        self.assertNotIn(PASSWORD.encode(), proxy.seen)
        self.assertEqual(self.count(), 0)


if __name__ == "__main__":
    if not shutil.which("openssl"):
        print("there is no openssl (Debian's openssl)")
        sys.exit(77)
    main()
