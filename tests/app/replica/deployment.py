"""A whole deployment on loopback: a primary, three replicas, and nginx with the template that compose uses."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from app import settings
from app.access import Role, passphrases
from app.access.shared_keys import open_keys
from tests.app.access.visitor import MODERATOR, READER
from tests.app.job_sources import until
from tests.browser.server import ROOT, free_port

TEMPLATE = ROOT / "packaging" / "compose" / "nginx" / "archiviste.conf.template"
STARTED_S = 90.0


@dataclass
class Server:
    """One process of Archiviste; it can be killed and started again on its port."""

    data: Path
    port: int
    arguments: tuple[str, ...] = ()
    environ: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.data.mkdir(parents=True, exist_ok=True)
        ours = ("ARCHIVISTE_", "NICEGUI_", "PYTEST_")
        kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
        command = [sys.executable, "-m", "app", "--data", self.data, "serve", "--port", str(self.port), *self.arguments]
        with (self.data / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env={**kept, **self.environ}, stdout=log, stderr=log, stdin=subprocess.DEVNULL
            )

    def is_ready(self) -> bool:
        assert self.process is not None and self.process.poll() is None, self.log
        try:
            return httpx.get(f"{self.url}/pret", timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    @property
    def log(self) -> str:
        return (self.data / "server.log").read_text("utf-8", "replace")[-2000:]

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def end(self) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


@dataclass(frozen=True)
class Deployment:
    """Where everything is; `url` is nginx."""

    url: str
    primary: Server
    replicas: tuple[Server, ...]
    snapshots: Path
    secret: Path

    def choices(self) -> settings.Choices:
        """The settings of the primary, for commands beside it."""
        return settings.load(self.primary.environ, data=self.primary.data)


@contextmanager
def deployed(data: Path, folder: Path, *, by_url: int = 1) -> Iterator[Deployment]:
    """The processes on this data folder, until the block ends; the first `by_url` replicas ask the primary itself."""
    snapshots, secret = folder / "snapshots", folder / "secret"
    secret.write_text("0123456789abcdef" * 4)
    nginx_port = free_port()
    shared = {
        "ARCHIVISTE_HOSTS": "127.0.0.1", "ARCHIVISTE_TRUSTED_PROXIES": "127.0.0.1",
        "ARCHIVISTE_SHARED_SECRET": str(secret),
    }  # fmt: skip
    primary = Server(data, free_port(), environ={**shared, "ARCHIVISTE_SNAPSHOTS": str(snapshots)})
    replicas = tuple(
        Server(
            folder / f"replica-{n}", free_port(),
            ("--replica", primary.url if n <= by_url else str(snapshots)), shared,
        )
        for n in (1, 2, 3)
    )  # fmt: skip
    choices = settings.load(primary.environ, data=data)
    with closing(open_keys(choices.app, data)) as keys:
        for role, phrase in ((Role.READER, READER), (Role.MODERATOR, MODERATOR)):
            keys.set_passphrase(role, passphrases.hashed(phrase))
    servers = (primary, *replicas)
    try:
        for server in servers:
            server.start()
        with balanced(folder, nginx_port, primary, replicas):
            for server in servers:
                until(server.is_ready, within_s=STARTED_S)
            yield Deployment(f"http://127.0.0.1:{nginx_port}", primary, replicas, snapshots, secret)
    finally:
        for server in servers:
            server.end()


@contextmanager
def balanced(folder: Path, port: int, primary: Server, replicas: tuple[Server, ...]) -> Iterator[None]:
    """nginx with the template, but for names, ports and the certificate."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    site = TEMPLATE.read_text()
    for documented, ours in (
        (r"listen 443 ssl", f"listen 127.0.0.1:{port}"),
        (r"    ssl_certificate.*\n", ""),
        (r"\nserver \{\n    listen 80;(.|\n)*?\n\}\n", ""),
        (r"\$\{SITE_NAME\}", "127.0.0.1"),
        (r"primary:8080", f"127.0.0.1:{primary.port}"),
        *((rf"replica-{n}:8080", f"127.0.0.1:{replica.port}") for n, replica in enumerate(replicas, 1)),
    ):
        site, count = re.subn(documented, ours, site)
        assert count, documented
    temporary = "".join(
        f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = folder / "nginx.conf"
    configuration.write_text(
        f"daemon off; pid {folder}/pid; error_log {folder}/error.log;\nevents {{ worker_connections 1024; }}\n"
        f"http {{ access_log off;\n{temporary}{site}}}\n"
    )
    command = [program, "-c", configuration, "-e", folder / "error.log"]
    subprocess.run([*command, "-t"], check=True, capture_output=True)
    proxy = subprocess.Popen(command)
    try:
        yield
    finally:
        proxy.terminate()
        proxy.wait(10)
