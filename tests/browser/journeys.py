"""What people come to do, as they do it in a browser; each step waits for what it leads to.

`shoot` is given the name of each screen that is worth a look: the tests check that it fits, `shots.py` keeps a picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from app.i18n import gettext as _

Shoot = Callable[[str], None]
WITHIN_MS = 30_000  # a model that is loaded, an archive that is read: on a busy machine
QUESTION = "Quels lots de la jante R-28C sont concernés par le rappel ?"


def first_answer(page: Page, site: str, shoot: Shoot) -> None:
    """From an empty archive to a first answer, with the demo: the assistant, its steps, an example, its source."""
    page.goto(site)
    expect(page).to_have_url(re.compile("/bienvenue"))
    shoot("assistant")
    page.get_by_role("button", name=_("Choose the demo")).click()
    for step, said in (("modeles", _("Continue")), ("acces", _("Continue")), ("lecture", _("Continue"))):
        page.get_by_role("button", name=said).click()
        expect(page).to_have_url(re.compile(f"etape={step}"), timeout=WITHIN_MS)
        shoot(f"assistant-{step}")
    page.get_by_role("button", name=_("Start"), exact=True).click()
    expect(page.get_by_role("heading", name=_("The archive is ready"))).to_be_visible(timeout=4 * WITHIN_MS)
    shoot("assistant-ready")
    page.locator(".outcome a.example").first.click()
    expect(page.locator("a.chip").first).to_be_visible(timeout=WITHIN_MS)
    expect(page.locator(".source").first).to_be_visible()
    shoot("first-answer")


def wrong_file(page: Page, site: str, wrong: Path, shoot: Shoot) -> None:
    """A file that is no backup: the assistant says so, keeps nothing of it, and another one can be chosen."""
    page.goto(f"{site}/bienvenue")
    drop = page.locator(".drop input[type=file]")
    page.wait_for_function("window.did_handshake === true")
    drop.set_input_files(wrong)
    told = page.locator(".way-to-read .notice:visible")
    expect(told).to_contain_text("Discourse", timeout=WITHIN_MS)
    expect(told).to_have_attribute("role", "alert")
    shoot("wrong-file")
    expect(page.get_by_role("button", name=_("Choose the demo"))).to_be_enabled()
    drop.set_input_files([])


def long_thread(page: Page, site: str, shoot: Shoot) -> None:
    """A search narrowed by its counts, to a message far inside a topic of 2,700."""
    page.goto(f"{site}/chercher")
    field = page.locator("main input[type=search]")
    field.fill("message rang")
    field.press("Enter")
    expect(page.locator("li.result").first).to_be_visible(timeout=WITHIN_MS)
    shoot("search")
    for facet in ("bruno", "2017"):
        opener = page.locator("button.narrow")
        if opener.is_visible():  # on a phone the counts are folded
            opener.click()
        before = page.locator(".condition").count()
        if facet.isdigit():
            page.locator(".facets details").first.locator("summary").click()
        page.locator(".facets").get_by_role("link", name=re.compile(facet)).first.click()
        expect(page.locator(".condition")).to_have_count(before + 1 + facet.isdigit(), timeout=WITHIN_MS)
        expect(page.locator("li.result").first).to_be_visible(timeout=WITHIN_MS)
    shoot("search-narrowed")
    page.locator("li.result a").first.click()
    expect(page.locator("article.is-target")).to_be_in_viewport(timeout=WITHIN_MS)
    expect(page.locator("article.is-target")).to_contain_text("Bruno")
    assert int(page.url.rpartition("/")[2]) > 1000
    shoot("long-topic")


def cited_answer(page: Page, site: str, shoot: Shoot) -> dict[str, str]:
    """Ask, read the quotation under a citation, open its message, save the answer; the files by their ending."""
    page.goto(site)
    box = page.get_by_label(_("Your question"))
    box.fill(QUESTION)
    box.press("Enter")
    chip = page.locator("a.chip").first
    expect(chip).to_be_visible(timeout=WITHIN_MS)
    shoot("answer")
    if page.evaluate("matchMedia('(hover: hover)').matches"):  # a finger has none: it opens the message
        chip.hover()
        expect(page.locator(".quote:visible").first).to_contain_text("7K-0200")
        shoot("answer-quotation")
    chip.click()
    expect(page.locator(".context article.is-target")).to_be_in_viewport()
    shoot("answer-message")
    page.keyboard.press("Escape")
    expect(page.locator(".context article.is-target")).to_be_hidden()
    saved = {}
    for name, ending in (("Markdown", "md"), ("HTML", "html")):
        with page.expect_download() as download:
            page.locator(".answer-tools").get_by_role("button", name=name).click()
        assert download.value.suggested_filename.endswith(f".{ending}")
        saved[ending] = Path(download.value.path()).read_text("utf-8")
    return saved


def stopped_import(page: Page, site: str, backup: Path, shoot: Shoot) -> None:
    """A backup is sent and read, with a bar; paused, then cancelled. Nothing moves meanwhile."""
    page.goto(f"{site}/archive/importer")
    page.wait_for_function("window.did_handshake === true")
    page.locator(".drop input[type=file]").set_input_files(backup)
    page.get_by_role("button", name=_("Start the import")).click(timeout=WITHIN_MS)
    expect(page.locator(".job progress")).to_be_visible(timeout=WITHIN_MS)
    page.wait_for_function("document.querySelector('.job progress')?.value > 0", timeout=WITHIN_MS)
    shoot("import")
    height = page.locator(".job").bounding_box()["height"]
    page.get_by_role("button", name=_("Pause")).click()
    expect(page.locator(".job .state")).to_have_text(_("paused"), timeout=WITHIN_MS)
    assert page.locator(".job").bounding_box()["height"] == height
    shoot("import-paused")
    page.get_by_role("button", name=_("Cancel")).click()
    expect(page.locator(".jobs-past")).to_contain_text(_("cancelled"), timeout=WITHIN_MS)
    shoot("import-cancelled")


def compared_runs(page: Page, site: str, questions: Path, shoot: Shoot) -> None:
    """Two evaluations with these questions, by words and by meaning, and what one finds that the other does not."""
    for config in ("bm25", "dense"):
        page.goto(f"{site}/mesures")
        start = page.get_by_role("button", name=_("Start an evaluation"))
        expect(start).to_be_visible(timeout=WITHIN_MS)
        page.wait_for_function("window.did_handshake === true")
        page.locator("select").first.select_option(label=_("another file"))
        path = page.get_by_label(_("Path of the question file (.yml, .jsonl, or a BEIR folder)"))
        path.fill(str(questions))
        path.blur()
        for tick in page.locator("input[type=checkbox]").all():
            tick.set_checked(tick.get_attribute("value") == config)
        shoot(f"evaluation-{config}")
        start.click()
        expect(page.get_by_role("link", name=_("See what was measured"))).to_be_visible(timeout=6 * WITHIN_MS)
    shoot("evaluation-done")
    page.get_by_role("link", name=_("See what was measured")).click()
    expect(page.locator("main table").first).to_be_visible(timeout=WITHIN_MS)
    shoot("evaluation")
    page.goto(f"{site}/mesures/comparer")
    expect(page.locator("select[name=a]")).to_be_visible(timeout=WITHIN_MS)
    keys = page.locator("select[name=a] option").evaluate_all("all => all.map((one) => one.value)")
    runs = sorted({key.partition("/")[0] for key in keys})
    assert len(runs) > 1
    page.locator("select[name=a]").select_option(f"{runs[-2]}/bm25")
    page.locator("select[name=b]").select_option(f"{runs[-1]}/dense")
    page.get_by_role("button", name=_("Compare"), exact=True).click()
    expect(page.locator(".gains h3").first).to_be_visible(timeout=WITHIN_MS)
    shoot("evaluation-compared")
    page.locator(".gains").first.scroll_into_view_if_needed()
    shoot("evaluation-gained")
