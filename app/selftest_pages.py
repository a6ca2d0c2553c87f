"""The self-test's server: its worker, the pages that the first one leads to, and an end that leaves nothing."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar
from urllib.error import URLError
from urllib.parse import urljoin
from urllib.request import ProxyHandler, build_opener

import psutil

from . import i18n, instance, locks, process
from .jobs import worker_lock

START_S: Final = 60.0
END_S: Final = 30.0
SAID: Final = "server.log"
_LINKED: Final = re.compile(r"""(?:src|href)=["'](/[^"'#]+\.(?:css|js|svg|woff2?)[^"']*)["']""")
_LEADS_TO: Final = re.compile(r'"href":"(/[a-z/-]*)"')  # the menus; messages, members and questions have other signs
_FETCH_S: Final = 30.0  # a page that reads first
Found = TypeVar("Found")
_open = build_opener(ProxyHandler({})).open  # a proxy of the network must not stand between us and ourselves


def serve(data: Path) -> str:
    """Open the pages and close them. Raises AssertionError; the fact is how long it took and what was fetched."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    began = time.monotonic()
    said = data / SAID
    with said.open("wb") as output:
        server = subprocess.Popen(
            process.command(data, "serve", "--port", str(port)), cwd=process.folder(), stdin=subprocess.DEVNULL,
            stdout=output, stderr=output,
        )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}/"
        page = _until(lambda: _page(address, server, said), START_S, "no page")
        seconds = time.monotonic() - began
        linked = {urljoin(address, link) for link in _LINKED.findall(page)}
        for link in linked:
            _open(link, timeout=_FETCH_S).close()
        pages = _visited(address, page)
        _until(lambda: locks.is_held(worker_lock(data)), START_S, "no worker")
        family = [server.pid, *(child.pid for child in psutil.Process(server.pid).children(recursive=True))]
    finally:
        server.terminate()
        server.wait(END_S)
    _until(lambda: not any(map(psutil.pid_exists, family)), END_S, "a process was left behind")
    if locks.is_held(worker_lock(data)) or instance.is_open(data):
        raise AssertionError("a lock was left behind")
    return f"{i18n.duration(seconds)}, {len(linked)} files, {pages} pages, {len(family)} processes"


def _visited(address: str, first: str) -> int:
    """How many pages the menus lead to. Raises URLError for one that can't be shown."""
    seen, todo = {address}, [first]
    while todo:
        for link in {urljoin(address, path) for path in _LEADS_TO.findall(todo.pop())} - seen:
            seen.add(link)
            with _open(link, timeout=_FETCH_S) as answer:
                todo.append(answer.read().decode("utf-8"))
    return len(seen)


def _page(address: str, server: subprocess.Popen[bytes], said: Path) -> str:
    if server.poll() is not None:
        raise AssertionError(f"the server ended with status {server.returncode}: {said.read_text('utf-8', 'replace')}")
    try:
        with _open(address, timeout=5) as answer:
            return str(answer.read().decode("utf-8"))
    except (URLError, OSError):
        return ""


def _until(look: Callable[[], Found], limit_s: float, otherwise: str) -> Found:
    deadline = time.monotonic() + limit_s
    while not (found := look()):
        if time.monotonic() > deadline:
            raise AssertionError(otherwise)
        time.sleep(0.05)
    return found
