"""Servers with TLS in front of the dashboard, each on a machine of its own: a network with nothing but
loopback, and /run, groups and files as an installation has them. The files of Config/front are used
as they are. This machine does not change. Needs root, or sudo.
"""

import os
import pathlib
import subprocess
import tempfile

from stack import ROOT, TIMEOUT

NAME = "bike.example"
AS_ROOT = [] if os.geteuid() == 0 else ["sudo", "-n"]
GROUP = "cyclometer-front:x:64990:www-data\n"
COMMANDS = {
    "haproxy": ["haproxy", "-W", "-db", "-f", str(ROOT / "Config/front/haproxy.cfg")],
    "nginx": ["nginx", "-g", "daemon off;"],
}
# FOLDER, SOCKETS, SITE. The tmpfs and the bound files are seen by processes of this machine only.
SETUP = r"""
set -e
ip link set lo up
mount -t tmpfs run /run
mkdir /run/cyclometer
mount --bind "$2" /run/cyclometer
mount --bind "$1/group" /etc/group
chgrp cyclometer-front /run/cyclometer/front.sock
chmod 660 /run/cyclometer/front.sock
mount -t tmpfs private /etc/ssl/private
cp "$1/bike.pem" /etc/ssl/private/
mount -t tmpfs sites /etc/nginx/sites-enabled
cp "$3" /etc/nginx/sites-enabled/cyclometer
mount -t tmpfs log /var/log/nginx
echo ready
exec cat
"""


class Front:
    """A running server of TLS: haproxy or nginx. It passes requests on to the front.sock of a stack."""

    def __init__(self, name, stack):
        self.folder = tempfile.TemporaryDirectory(prefix="front-")
        folder = pathlib.Path(self.folder.name)
        self._processes = []
        try:
            self._make_certificate(folder)
            (folder / "group").write_text(pathlib.Path("/etc/group").read_text() + GROUP)
            setup = ["bash", "-c", SETUP, "front", folder, stack.run, ROOT / "Config/front/nginx.conf"]
            machine = self._start(["unshare", "--mount", "--net", "--propagation", "private", *setup])
            assert machine.stdout.readline() == "ready\n", "the machine of the front was not made"
            # sudo may be between this process and the machine.
            inner = machine.pid if not AS_ROOT else int(subprocess.check_output(["pgrep", "-P", str(machine.pid)]).split()[0])
            self._enter = ["nsenter", f"--target={inner}", "--mount", "--net"]
            self._start([*self._enter, *COMMANDS[name]])
        except BaseException:
            self.close()
            raise

    def _make_certificate(self, folder):
        """A certificate that is its own authority, for the name of the bike."""
        self.certificate = folder / "bike.crt"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}",
                        "-keyout", folder / "bike.key", "-out", self.certificate], check=True, capture_output=True)
        (folder / "bike.pem").write_text(self.certificate.read_text() + (folder / "bike.key").read_text())

    def _start(self, command):
        process = subprocess.Popen([*AS_ROOT, *map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._processes.append(process)
        return process

    def command(self, *words):
        """A command as it runs on the machine of this front."""
        return [*AS_ROOT, *self._enter, *map(str, words)]

    def curl(self, path, *options, name=NAME):
        """A command that opens a path over TLS. It tries again until the front listens."""
        return self.command("curl", "--silent", "--max-time", TIMEOUT, "--retry", "20", "--retry-connrefused", "--retry-delay", "1",
                            "--cacert", self.certificate, "--resolve", f"{name}:443:127.0.0.1", *options, f"https://{name}{path}")

    def ask(self, path, *options, name=NAME):
        """One request: status, fields and text of the answer."""
        done = subprocess.run(self.curl(path, "--include", *options, name=name), capture_output=True, text=True, check=True)
        head, _, text = done.stdout.partition("\n\n")
        first, *lines = head.splitlines()
        fields = {}
        for line in lines:
            key, _, value = line.partition(":")
            fields[key.strip().lower()] = value.strip()
        return int(first.split()[1]), fields, text

    def close(self):
        """Ends the server and its machine."""
        for process in self._processes[::-1]:
            process.terminate()
            process.wait()
            process.stdin.close()
            process.stdout.close()
        self.folder.cleanup()
