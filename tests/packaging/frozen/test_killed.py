"""Each process of the bundle killed without a word: the rest goes on or ends, nothing stays, the next start is clean."""

import os
import signal
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.browser.chromium import settle
from tests.packaging.frozen.bundle import (
    ENVIRONMENT,
    assert_nothing_left,
    assert_starts_clean,
    end,
    family,
    of,
    page,
    start,
    until,
)

QUESTION = "Quels lots de la jante R-28C sont concernés par le rappel ?"


def test_a_killed_worker_is_started_again_and_a_killed_application_takes_it_along(data, port):
    server = start(data, "serve", "--port", port)
    until(lambda: page(port))
    worker = until(lambda: of(data).get("worker"))
    worker.kill()
    until(lambda: (one := of(data).get("worker")) and one.pid != worker.pid)
    everybody = family(of(data)["serve"])
    server.kill()
    server.wait()
    assert_nothing_left(data, everybody)
    assert_starts_clean(data, port)


@pytest.mark.models
def test_a_killed_language_model_leaves_the_answer_to_extracts_and_answers_the_next_question(data, port, gguf, browser):
    chosen = {"ARCHIVISTE_LLM": str(gguf), "ARCHIVISTE_LLM_THREADS": "1", "ARCHIVISTE_LLM_ANSWER_TOKENS": "40"}
    server = start(data, "serve", "--port", port, env=ENVIRONMENT | chosen)
    until(lambda: page(port))
    tab = browser.new_page(locale="fr-FR")
    address = f"http://127.0.0.1:{port}/demander?q={quote(QUESTION)}"
    tab.goto(address)
    until(lambda: _model(data)).kill()
    expect(tab.get_by_text("Le modèle de langue s’est arrêté").first).to_be_visible(timeout=60_000)
    expect(tab.locator(".answer")).to_contain_text("7K-0200", timeout=60_000)
    # The next question starts another, and the application is closed while it reads or writes.
    tab.goto(f"{address}&par=modele")
    again = until(lambda: _model(data))
    settle(tab)
    everybody = [*family(of(data)["serve"]), again]
    assert len(everybody) > 3
    tab.close()
    end(server)
    assert_nothing_left(data, everybody)
    assert_starts_clean(data, port)


def test_an_application_killed_with_its_model_busy_leaves_nothing(data, port, gguf, browser):
    server = start(data, "serve", "--port", port, env=ENVIRONMENT | {"ARCHIVISTE_LLM": str(gguf)})
    until(lambda: page(port))
    tab = browser.new_page(locale="fr-FR")
    tab.goto(f"http://127.0.0.1:{port}/demander?q={quote(QUESTION)}")
    until(lambda: _model(data))
    everybody = family(of(data)["serve"])
    os.kill(server.pid, signal.SIGKILL)
    server.wait()
    tab.close()
    assert_nothing_left(data, everybody)
    assert_starts_clean(data, port)


def _model(data):
    """The process of the language model, a child of the application that serves this folder."""
    return next((one for one in family(of(data)["serve"]) if "llm-child" in one.cmdline()), None)
