"""The window on a screen that nobody sees, with the system's WebKit; and the browser where there is none."""

import subprocess
from contextlib import closing

from app import instance
from app.job_states import Event, Kind, Work
from app.jobs import Jobs
from tests.packaging.frozen.bundle import (
    LIMIT_S,
    SHOTS,
    assert_nothing_left,
    assert_starts_clean,
    end,
    family,
    of,
    start,
    until,
)


def test_the_window_shows_the_page_comes_to_the_front_and_closes_everything(data, port, screen):
    server = start(data, "serve", "--native", "--port", port, env=screen)
    window = until(lambda: of(data).get("window"))
    until(lambda: _windows(screen))
    shot = SHOTS / "window.png"
    until(lambda: _colours(screen, shot) > 200)  # a page, not an empty window

    before = instance.asked_to_front(data)
    second = start(data, "serve", "--native", env=screen)
    assert second.wait(LIMIT_S) == 0
    assert instance.asked_to_front(data) > before
    assert of(data)["window"].pid == window.pid

    everybody = family(of(data)["serve"])
    subprocess.run(["xdotool", "windowclose", _windows(screen)[-1]], env=screen, check=True)
    assert server.wait(LIMIT_S) == 0
    until(lambda: not any(process.is_running() for process in everybody))
    assert not instance.is_open(data)


def test_closing_during_a_job_asks_and_a_no_is_a_no(data, port, desktop):
    with closing(Jobs(data)) as jobs:
        job = jobs.create(Work(Kind.INDEX))
        with jobs.claim(job.id):  # as a worker does
            server = start(data, "serve", "--native", "--port", port, env=desktop)
            until(lambda: _colours(desktop, SHOTS / "window.png") > 200)
            _close(desktop)
            until(lambda: len(_windows_of_manager(desktop)) == 2)  # ours and its question
            _colours(desktop, SHOTS / "window-asks.png")
            subprocess.run(["xdotool", "key", "Escape"], env=desktop, check=True)
            until(lambda: len(_windows_of_manager(desktop)) == 1)
            assert server.poll() is None
            jobs.happen(job.id, Event.COMPLETE)
    _close(desktop)
    assert server.wait(LIMIT_S) == 0
    until(lambda: not of(data))


def test_a_window_that_is_killed_ends_the_application(data, port, screen):
    server = start(data, "serve", "--native", "--port", port, env=screen)
    until(lambda: _colours(screen, SHOTS / "window.png") > 200)  # its parent has heard by then that it was shown
    everybody = family(of(data)["serve"])
    of(data)["window"].kill()
    assert server.wait(LIMIT_S) == 0
    assert_nothing_left(data, everybody)
    assert_starts_clean(data, port)


def test_without_a_screen_the_default_browser_is_called(data, port, tmp_path):
    """`BROWSER` is how the standard library is told of one; it must see the system's libraries, not the bundle's."""
    seen = tmp_path / "seen"
    browser = tmp_path / "navigateur"
    browser.write_text(f'#!/bin/sh\necho "$1 [$LD_LIBRARY_PATH]" > "{seen}"\n')
    browser.chmod(0o755)
    server = start(data, "serve", "--native", "--port", port, env={"BROWSER": str(browser), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})  # fmt: skip
    until(seen.exists)
    until(seen.read_text)
    assert seen.read_text().strip() == f"http://127.0.0.1:{port} []"
    end(server)
    until(lambda: not of(data))


def _close(screen):
    """As a click on the cross does."""
    subprocess.run(["wmctrl", "-c", "Archiviste"], env=screen, check=True)


def _windows_of_manager(screen):
    return subprocess.run(["wmctrl", "-l"], env=screen, capture_output=True, text=True).stdout.splitlines()


def _windows(screen):
    found = subprocess.run(["xdotool", "search", "--name", "Archiviste"], env=screen, capture_output=True, text=True)
    return found.stdout.split()


def _colours(screen, shot):
    shot.parent.mkdir(exist_ok=True)
    subprocess.run(["import", "-window", "root", str(shot)], env=screen, check=True)
    counted = subprocess.run(["identify", "-format", "%k", str(shot)], capture_output=True, text=True, check=True)
    return int(counted.stdout)
