"""The bundle where there is nothing else: no Python, no network, no right to write beside it, odd names."""

import json
import subprocess
import sys
import time
from pathlib import Path

from tests.packaging.frozen.bundle import BUNDLE, ENVIRONMENT, PROGRAM, ROOT, alone, end, page, size, until

MOST_BYTES = 450_000_000
# On this machine at rest; a busy one prints more, and `ratio` says whether the bundle is to blame.
MOST_TIMES_SLOWER = 2.0


def test_it_weighs_less_than_promised():
    print(f"{size(BUNDLE) / 1e6:.0f} MB")
    assert size(BUNDLE) < MOST_BYTES


def test_no_library_is_missing_outside_the_window():
    """The bridge to GTK aside, every library finds what it needs in the bundle or on a plain system."""
    missing = {}
    for path in BUNDLE.rglob("*.so*"):
        if "/gi/" in str(path) or path.is_symlink():
            continue
        found = subprocess.run(
            ["ldd", str(path)], capture_output=True, text=True, env={"LD_LIBRARY_PATH": str(BUNDLE / "_internal")}
        ).stdout
        lines = [line.strip() for line in found.splitlines() if "not found" in line]
        if lines:
            missing[path.name] = lines
    assert missing == {}


def test_the_self_test_passes_in_an_empty_environment():
    with alone(BUNDLE) as (done, home, place):
        print(done.stdout, done.stderr)
        assert done.returncode == 0
        told = json.loads((home / "rapport.json").read_text())
        assert (told["passed"], told["frozen"], told["program"]) == (True, True, str(place / "archiviste"))
        assert [path.name for path in home.iterdir()] == ["rapport.json"]


def test_a_page_comes_as_soon_as_from_python(data, port):
    """Cold (its files out of the cache) and warm, against `python -m app` in the same run."""
    times = {
        "bundle, cold": _first_page(_dropped([str(PROGRAM)]), data, port),
        "bundle, warm": min(_first_page([str(PROGRAM)], data, port) for _ in range(2)),
        "python -m app, cold": _first_page(_dropped([sys.executable, "-m", "app"]), data, port),
        "python -m app, warm": min(_first_page([sys.executable, "-m", "app"], data, port) for _ in range(2)),
    }
    for name, seconds in times.items():
        print(f"{name}: {seconds:.1f} s")
    assert times["bundle, warm"] < MOST_TIMES_SLOWER * times["python -m app, warm"]
    assert times["bundle, cold"] < MOST_TIMES_SLOWER * times["python -m app, cold"]


def _first_page(program, data, port):
    began = time.monotonic()
    server = subprocess.Popen(
        [*program, "--data", str(data), "serve", "--port", port], cwd=ROOT, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT,
    )  # fmt: skip
    until(lambda: page(port))
    seconds = time.monotonic() - began
    end(server)
    return seconds


def _dropped(program):
    """The same program, once the system has forgotten every file."""
    subprocess.run(["sync"], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    return program
