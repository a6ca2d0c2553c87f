"""Whatever the engine says, there is a French sentence for it, and it helps."""

import ast
import re

import pytest

import engine
from app import i18n
from app.messages import FLAWS, NOTICES, message, skipped
from app.resources import resource
from engine import AbstentionReason, ArchivisteError, Flaw, Progress, SkipReason

DETAILS = {"path": "/tmp/a", "key": "port", "value": "x", "low": 1, "high": 2, "held": "a", "offered": "b"}
DETAILS |= {"line": 3, "job": 12, "data": "/archive", "url": "https://forum.exemple"}
NOTICE_CODES = (
    *("unknown_author", "unknown_category", "unknown_tag", "nothing_to_search", "only_stop_words"),
    *("dense_missing", "dense_unusable", "dense_compared", "encoder_missing", "encoder_differs", "encoder_unavailable"),
    *("rerank_late", "rerank_unavailable"),
    *("llm_failed", "llm_unavailable", "llm_off", "remote_failed", "encoder_away", "encoder_other", "reranker_away"),
    *("sources_disagree", "unfit_removed"),
    "worker_given_up",
)
STAGES = ("turn", "import", "lexical", "encode", "dense", "sync_posts", "sync_topics", "sync_recheck", "sync_uploads")


@pytest.fixture(autouse=True)
def french():
    i18n.use("fr")


def _subclasses(kind):
    for child in kind.__subclasses__():
        yield child
        yield from _subclasses(child)


def _literals(*callables):
    """First argument of every call of these in the engine, where it is a literal."""
    for path in resource("engine").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            called = isinstance(node, ast.Call) and getattr(node.func, "id", "") in callables
            if called and node.args and isinstance(node.args[0], ast.Constant):
                yield node.args[0].value


def _is_a_sentence(text):
    return text[0].isupper() or text[0] == "«", text[-1] in ".!?", "{" not in text, "…" not in text


@pytest.mark.parametrize("kind", sorted(_subclasses(ArchivisteError), key=lambda kind: kind.__name__))
def test_every_error_has_its_own_sentence(kind):
    said = message(kind(**DETAILS))
    assert all(_is_a_sentence(said)), said
    assert said != message(ArchivisteError())


def test_an_error_without_its_facts_still_has_a_sentence():
    for kind in _subclasses(ArchivisteError):
        assert message(kind())


@pytest.mark.parametrize("reason", AbstentionReason)
def test_every_abstention_has_its_own_sentence(reason):
    assert all(_is_a_sentence(message(reason)))


def test_every_skip_reason_is_named_differently():
    assert len({message(reason) for reason in SkipReason}) == len(SkipReason)


def test_a_skip_reason_of_a_newer_version_is_named_too():
    assert skipped("gone_to_the_moon") == "pour une autre raison"
    assert skipped("hidden") == message(SkipReason.HIDDEN)


@pytest.mark.parametrize("code", NOTICE_CODES)
def test_every_notice_has_its_own_sentence(code):
    assert code in NOTICES
    assert all(_is_a_sentence(message(code)))


def test_every_flaw_that_the_engine_can_find_is_named():
    codes = set(_literals("Flaw", "DumpCutError", "BadJsonError"))
    assert {"bad_row", "truncated", "bad_json"} <= codes
    assert codes - set(FLAWS) == set()


def test_a_flaw_names_its_place():
    assert message(Flaw("truncated", "posts:12")) == "posts:12\u00a0: le fichier s’arrête avant sa fin"


def test_stages_are_named_differently():
    assert len({message(Progress(stage, 1, 2)) for stage in (*STAGES, "other")}) == len(STAGES) + 1


def test_what_has_no_sentence_of_its_own_gets_a_general_one():
    for subject in ("no_such_notice", Flaw("no_such_flaw", "x"), Progress("no_such_stage", 0, 0)):
        said = message(subject)
        assert said
        assert "no_such" not in said


MODEL_REASONS = {
    engine.ModelUnavailable: (
        *("missing", "format", "library", "file", "crash", "dies", "unknown_model", "not_installed"),
        *("remote_none", "remote_unreachable", "remote_key", "remote_model"),
        *("server_away", "server_slow", "server_busy", "server_failing", "server_garbled", "server_key"),
        *("server_model", "server_refused", "server_other", "server_dimension"),
    ),
    engine.GenerationFailed: ("no_room", "slow", "remote_busy", "remote_slow", "remote_cut", "remote_server"),
    engine.DownloadFailed: (
        *("unreachable", "offline", "not_found", "refused", "busy", "server", "cut", "damaged", "changed"),
        *("not_a_model", "several", "unreadable"),
    ),
}


@pytest.mark.parametrize(("kind", "reasons"), MODEL_REASONS.items())
def test_every_reason_of_a_model_that_fails_has_its_own_sentence(kind, reasons):
    facts = {"path": "/m/a.gguf", "model": "petit", "setting": "encoder_url", "status": 500, "found": 2, "expected": 3}
    said = [message(kind(reason=reason, role="generate", **facts)) for reason in reasons]
    assert len({*said, message(kind(**facts))}) == len(reasons) + 1
    assert all(all(_is_a_sentence(sentence)) for sentence in said)


def test_facts_make_the_sentence_precise():
    unknown = message(engine.SettingsError(key="prot", value="1", reason="unknown"))
    bounds = message(engine.SettingsError(key="rrf_k", value=0, reason="bounds", low=1, high=1000))
    assert unknown == "Le réglage «\u00a0prot\u00a0» n’existe pas. Corrigez son nom ou retirez-le."
    assert "entre 1 et 1000" in bounds
    lost = message(engine.ArchiveFormatError(path="/x", reason="not_found"))
    assert lost == "Il n’y a rien à cet endroit\u00a0: /x. Vérifiez le chemin."


def test_no_sentence_names_a_library_or_blames():
    catalogue = resource("i18n/fr/LC_MESSAGES/archiviste.po").read_text("utf-8")
    catalogue = catalogue.replace('msgstr "Python"', "")  # À propos names it, among the versions
    said = "".join(re.findall(r'^(?:msgstr(?:\[\d\])? )?"(.*)"$', catalogue.partition("\n\n")[2], re.M)).lower()
    for word in (
        "whoosh",
        "chroma",
        "sqlite",
        "llama",
        "nicegui",
        "python",
        "exception",
        "traceback",
        "votre faute",
    ):
        assert word not in said
