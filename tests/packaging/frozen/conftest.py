"""A demo forum made by the bundle, once; a browser; and a screen."""

import os
import shutil
import socket
import subprocess

import pytest
from playwright.sync_api import sync_playwright

from tests.browser import chromium
from tests.packaging.frozen.bundle import ENVIRONMENT, PROGRAM, started, until


@pytest.fixture(autouse=True)
def _nothing_stays_behind_a_failure():
    yield
    while started:
        if (server := started.pop()).poll() is None:
            server.kill()
            server.wait()


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    data = tmp_path_factory.mktemp("demo") / "données"
    subprocess.run([str(PROGRAM), "--data", str(data), "demo"], check=True, capture_output=True, env=ENVIRONMENT)
    return data


@pytest.fixture
def data(demo, tmp_path):
    return shutil.copytree(demo, tmp_path / "données de Zoé")


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium.PROGRAM, args=chromium.QUIET)
        yield launched
        launched.close()


@pytest.fixture
def screen(tmp_path):
    """The environment of a program on a screen that nobody sees."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1366x768x24"], pass_fds=[write], stderr=subprocess.DEVNULL
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    yield {**ENVIRONMENT, "DISPLAY": f":{number}"}
    server.terminate()
    until(lambda: server.poll() is not None)


@pytest.fixture
def desktop(screen):
    """The same with a window manager, whose cross asks a window to close."""
    manager = subprocess.Popen(["openbox"], env=screen, stderr=subprocess.DEVNULL)
    until(lambda: subprocess.run(["wmctrl", "-m"], env=screen, capture_output=True).returncode == 0)
    yield screen
    manager.terminate()
    manager.wait()
