"""In a real Chromium, on a real server with its worker: a file is sent, read with a bar, stopped, and what is kept."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from app import demo
from app.i18n import gettext as _
from app.job_states import State
from app.jobs import Jobs
from tests.browser.chromium import watched
from tests.browser.server import running

pytestmark = pytest.mark.browser
POSTS = 60_000


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The backup of the demo forum with a very long topic: long enough to be stopped on its way."""
    folder = tmp_path_factory.mktemp("sent")
    text = gzip.decompress(demo.build(folder).read_bytes()).decode()
    head, copy, rest = text.partition("COPY public.posts (")
    names, _stdin, rows = rest.partition(") FROM stdin;\n")
    columns, first = names.split(", "), rows.partition("\n")[0].split("\t")
    path = folder / "forum d’exemple.sql"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"{head}{copy}{names}) FROM stdin;\n")
        for n in range(1, POSTS + 1):
            changed = {"id": str(9_000_000 + n), "post_number": str(1000 + n), "sort_order": str(1000 + n)}
            file.write("\t".join(changed.get(c, v) for c, v in zip(columns, first, strict=True)) + "\n")
        file.write(rows)
    return path


def test_an_import_shows_how_far_it_is_and_can_be_stopped(browser: Browser, dump: Path, tmp_path: Path) -> None:
    with running(tmp_path) as address, watched(browser) as page:
        page.goto(f"{address}/archive/importer")
        page.locator(".drop input[type=file]").set_input_files(dump)
        page.get_by_role("button", name=_("Start the import")).click()
        bar = page.locator(".job progress")
        expect(bar).to_be_visible(timeout=20_000)
        page.wait_for_function("document.querySelector('.job progress')?.value > 0", timeout=20_000)
        height = page.locator(".job").bounding_box()["height"]
        page.get_by_role("button", name=_("Pause")).click()
        expect(page.locator(".job .state")).to_have_text(_("paused"), timeout=20_000)
        assert page.locator(".job").bounding_box()["height"] == height
        page.get_by_role("button", name=_("Cancel")).click()
        expect(page.locator(".jobs-past")).to_contain_text(_("cancelled"), timeout=20_000)
        with closing(Jobs(tmp_path)) as jobs:
            (job,) = jobs.recent()
            assert job.state is State.CANCELLED and 0 < job.done < job.total
        assert [path.name for path in (tmp_path / "received").iterdir()] == ["forum d_exemple.sql"]  # to start again
