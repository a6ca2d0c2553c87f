"""A language model as a judge: what it is sent, how its replies are read, and what is not made of bad ones."""

import socket
import subprocess
import sys
from dataclasses import replace

import httpx
import pytest

from engine.evaluate.answers import Claim
from engine.evaluate.answers_judge import CONTEXT_CHARS, Judge
from engine.models.remote import Remote
from engine.values import Answer
from tests.engine.models.chat_server import DONE, event, serving
from tests.engine.models.waiting import wait_until
from tests.factories import word_embed

CLAIMS = "Voici :\n- Il faut poncer les patins.\n- Le pincement mesure 47 mm.\n"
QUESTIONS = "évasive : non\n- Faut-il poncer les patins ?\n- Que faire des patins ?\n- Comment poncer ?\n"


@pytest.fixture(scope="module")
def answer(tiny):
    *_, found = tiny.ask("Faut-il poncer les patins ?", answerer="extractive")
    assert isinstance(found, Answer)
    return found


class Script:
    """A model that replies in turn, and remembers what it was asked."""

    def __init__(self, *replies):
        self.replies, self.asked = list(replies), []

    def __call__(self, messages):
        self.asked.append(messages[-1].content)
        reply = self.replies.pop(0)
        if isinstance(reply, str):
            yield from reply.splitlines(keepends=True)
            return "stop"
        yield reply[0]
        return "length"


def judged(answer, *replies, embed=word_embed):
    return Judge(Script(*replies), embed, "script").judge(answer)


def test_claims_are_listed_then_judged_by_number(answer):
    found = judged(answer, CLAIMS, "1 : oui\n2: non", QUESTIONS)
    assert found.claims == (Claim("Il faut poncer les patins.", True), Claim("Le pincement mesure 47 mm.", False))
    assert found.questions[0] == "Faut-il poncer les patins ?" and len(found.questions) == 3
    asked, (first, *_) = word_embed([answer.question], "query")[0], word_embed(list(found.questions), "query")
    assert first @ asked == pytest.approx(1.0)
    assert 0 < found.relevancy < 1
    assert found.failed == ()


def test_the_judge_is_sent_the_answer_its_sources_and_nothing_else(answer):
    script = Script(CLAIMS, "1. oui\n2. oui", QUESTIONS)
    Judge(script, word_embed, "script").judge(answer)
    listing, verdicts, questions = script.asked
    assert answer.question in listing and "poncer les patins" in listing and "[[" not in listing
    assert "1. Il faut poncer les patins.\n2. Le pincement mesure 47 mm." in verdicts
    cited = next(item for item in answer.evidence if item.n == answer.citations[0].n)
    assert verdicts.index(cited.text) < min(
        verdicts.index(item.text) for item in answer.evidence if item.n not in {c.n for c in answer.citations}
    )
    assert answer.question not in questions and "$" not in listing + verdicts + questions


def test_long_sources_are_cut(answer):
    long = replace(answer, evidence=tuple(replace(item, text="mot " * 9000) for item in answer.evidence))
    script = Script(CLAIMS, "1. oui\n2. oui", QUESTIONS)
    Judge(script, word_embed, "script").judge(long)
    assert len(script.asked[1]) < CONTEXT_CHARS + 2000


def test_an_evasive_answer_counts_nothing(answer):
    assert judged(answer, CLAIMS, "1. oui\n2. non", "Évasive : oui\n- Quoi ?").relevancy == 0


@pytest.mark.parametrize("listed", ["Je ne sais pas.", "", ("- Une seule affirm",)])
def test_a_list_that_cannot_be_read_is_no_list(answer, listed):
    found = judged(answer, listed, QUESTIONS)
    assert (found.claims, found.failed) == (None, ("claims",))


@pytest.mark.parametrize("verdicts", ["oui", "1. oui", "", ("1. oui\n2. non",)])
def test_a_claim_without_verdict_voids_them_all(answer, verdicts):
    found = judged(answer, CLAIMS, verdicts, QUESTIONS)
    assert (found.claims, found.failed) == (None, ("claims",))


def test_without_questions_or_encoder_there_is_no_relevancy(answer):
    assert judged(answer, CLAIMS, "1. oui\n2. oui", "évasive : non").failed == ("relevancy",)
    assert judged(answer, CLAIMS, "1. oui\n2. oui", QUESTIONS, embed=None).failed == ("relevancy",)


def test_what_a_model_thinks_aloud_is_not_its_verdict(answer):
    found = judged(answer, CLAIMS, "<think>1. non\n2. non</think>1. oui\n2. oui", QUESTIONS)
    assert all(claim.supported for claim in found.claims)


def test_the_name_changes_with_the_model():
    one, other = Judge(Script(), None, "a"), Judge(Script(), None, "b")
    assert one.name != other.name and one.name.startswith("a (")


def test_a_server_judges_as_a_function_does(answer):
    replies = iter((CLAIMS, "1. oui\n2. non", QUESTIONS))
    with serving(lambda served: served.say(event(next(replies)), event(finish="stop"), DONE)) as server:
        found = Judge(Remote(server.url).generate, word_embed, server.url).judge(answer)
    assert [claim.supported for claim in found.claims] == [True, False]
    assert len(server.requests) == 3
    assert all(request["temperature"] == 0 for _, _, request in server.requests)


@pytest.mark.models
def test_the_server_of_llama_cpp_can_be_the_judge(answer, gguf):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(gguf), "--port", str(port)]
    command += ["--n_ctx", "2048", "--n_threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            url = f"http://127.0.0.1:{port}"
            wait_until(lambda: _answers(url), 60)
            judge = Judge(Remote(url, answer_tokens=16).generate, word_embed, url)
            # The base model of the tests can't judge: whatever it says is read or refused.
            found = judge.judge(replace(answer, evidence=answer.evidence[:1]))
            assert (found.claims is None) == ("claims" in found.failed)
            assert (found.relevancy is None) == ("relevancy" in found.failed)
        finally:
            server.kill()


def _answers(url):
    try:
        return httpx.get(f"{url}/v1/models", trust_env=False).status_code == 200
    except httpx.HTTPError:
        return False
