"""The bundle where there is nothing else: no Python, no network, no right to write beside it, odd names."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from tests.packaging.frozen.bundle import BUNDLE, ENVIRONMENT, PROGRAM, ROOT, end, family, of, start, until

MOST_BYTES = 450_000_000
NOBODY = 65534
# On this machine at rest; a busy one prints more, and `ratio` says whether the bundle is to blame.
MOST_TIMES_SLOWER = 2.0


def test_it_weighs_less_than_promised():
    files = [path for path in BUNDLE.rglob("*") if path.is_file() and not path.is_symlink()]
    size = sum(path.stat().st_size for path in files)
    print(f"{size / 1e6:.0f} MB in {len(files)} files")
    assert size < MOST_BYTES


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
    """As `nobody`, without network, Python or variables, from a read-only folder, with a HOME that has odd characters."""
    place = Path("/opt/archiviste essai")
    shutil.rmtree(place, ignore_errors=True)
    with tempfile.TemporaryDirectory() as outside:  # pytest closes its own folders to others
        Path(outside).chmod(0o755)
        home = Path(outside) / "Zoé Müller"
        home.mkdir()
        os.chown(home, NOBODY, NOBODY)
        report = home / "rapport.json"
        shutil.copytree(BUNDLE, place, symlinks=True)
        try:
            subprocess.run(["chmod", "-R", "a-w,a+rX", str(place)], check=True)
            nobody = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups"
            empty = 'env -i PATH=/nulle-part HOME="$1" TMPDIR="$1"'
            command = f'ip link set lo up; exec {nobody} {empty} "{place}/archiviste" --selftest --report "$2"'
            done = subprocess.run(
                ["unshare", "--net", "sh", "-c", command, "sh", str(home), str(report)],
                capture_output=True, text=True, cwd="/",
            )  # fmt: skip
            print(done.stdout, done.stderr)
            assert done.returncode == 0
            told = json.loads(report.read_text())
            assert (told["passed"], told["frozen"], told["program"]) == (True, True, str(place / "archiviste"))
            assert [path.name for path in home.iterdir()] == ["rapport.json"]
        finally:
            shutil.rmtree(place)


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


def test_killing_any_of_its_processes_leaves_nothing_behind(data, port):
    server = start(data, "serve", "--port", port)
    until(lambda: _page(port))
    worker = until(lambda: of(data).get("worker"))
    worker.kill()  # it is started again
    again = until(lambda: (one := of(data).get("worker")) and one.pid != worker.pid and one)
    everybody = family(of(data)["serve"])
    server.kill()  # and now the application itself, without a word
    server.wait()
    until(lambda: not any(process.is_running() for process in everybody if process.pid != server.pid))
    assert not again.is_running()
    # Nothing is locked: the next start is an ordinary one.
    server = start(data, "serve", "--port", port)
    until(lambda: _page(port))
    end(server)
    until(lambda: not of(data))


def _first_page(program, data, port):
    began = time.monotonic()
    server = subprocess.Popen(
        [*program, "--data", str(data), "serve", "--port", port], cwd=ROOT, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT,
    )  # fmt: skip
    until(lambda: _page(port))
    seconds = time.monotonic() - began
    end(server)
    return seconds


def _dropped(program):
    """The same program, once the system has forgotten every file."""
    subprocess.run(["sync"], check=True)
    Path("/proc/sys/vm/drop_caches").write_text("3")
    return program


def _page(port):
    try:
        with urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
            return answer.read()
    except OSError:
        return None
