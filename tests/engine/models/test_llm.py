"""The language model's process: same text, clean ends, no orphan. Real llama.cpp where marked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engine.errors import GenerationFailed, ModelUnavailable
from engine.models.llm import Llm
from engine.models.llm_process import command
from engine.seams import Message

from .waiting import first, wait_until

ROOT = Path(__file__).parents[3]
QUESTION = [Message("system", "Vous êtes un guide."), Message("user", "Comment cirer des chaussures ?")]
OTHER = [Message("user", "Parlez-moi de la pluie en Bretagne, longuement, avec des détails.")]


@pytest.fixture
def llm(gguf: Path) -> Iterator[Llm]:
    with Llm(gguf, context_tokens=1024, answer_tokens=40, threads=1) as model:
        yield model


def test_a_missing_file_is_a_model_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "absent.gguf"
    model = Llm(path)
    for call in (lambda: model.count("x"), lambda: next(model.generate(QUESTION)), lambda: model.name):
        with pytest.raises(ModelUnavailable) as failure:
            call()
        assert failure.value.details == {"role": "generate", "path": str(path), "reason": "missing"}
    assert model.pid is None


def test_a_file_that_is_no_gguf_starts_no_process(tmp_path: Path) -> None:
    path = tmp_path / "notes.gguf"
    path.write_text("Ceci n’est pas un modèle.")
    model = Llm(path)
    with pytest.raises(ModelUnavailable) as failure:
        model.count("x")
    assert failure.value.details["reason"] == "format"
    assert model.pid is None


def test_the_name_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "petit.gguf"
    names = set()
    for content in (b"GGUF1", b"GGUF2", b"GGUF22"):
        path.write_bytes(content)
        names.add(Llm(path).name)
    assert len(names) == 3
    assert all(name.startswith("petit.gguf-") for name in names)


def test_the_child_is_this_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert command() == [sys.executable, "-m", "engine.models.llm_child"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert command() == [sys.executable, "llm-child"]


@pytest.mark.models
def test_a_damaged_gguf_is_a_model_unavailable(tmp_path: Path) -> None:
    path = tmp_path / "abime.gguf"
    path.write_bytes(b"GGUF" + b"\x03\0\0\0" + b"\xff" * 4000)
    with Llm(path) as model:
        with pytest.raises(ModelUnavailable) as failure:
            model.count("x")
        assert failure.value.details["reason"] == "file"
        assert model.pid is None


@pytest.mark.models
def test_the_same_question_gets_the_same_text_whatever_was_asked_between(llm: Llm) -> None:
    texts = []
    for _ in range(3):
        texts.append("".join(llm.generate(QUESTION)))
        "".join(llm.generate(OTHER))
    llm.close()
    texts.append("".join(llm.generate(QUESTION)))
    assert texts[0].strip()
    assert len(set(texts)) == 1


@pytest.mark.models
def test_a_cut_answer_returns_length(llm: Llm) -> None:
    pieces = llm.generate(QUESTION)
    with pytest.raises(StopIteration) as end:
        while True:
            next(pieces)
    assert end.value.value == "length"


@pytest.mark.models
def test_count_is_the_number_of_tokens(llm: Llm) -> None:
    one, two = llm.count("Bonjour le monde"), llm.count("Bonjour le monde. Bonjour le monde")
    assert llm.count("") == 0
    assert one == 3  # golden number of this tokenizer
    assert two > one


@pytest.mark.models
def test_a_prompt_too_long_is_refused_and_the_next_one_answered(llm: Llm) -> None:
    with pytest.raises(GenerationFailed) as failure:
        list(llm.generate([Message("user", "mot " * 2000)]))
    assert failure.value.details == {"stage": "prompt", "reason": "too_long"}
    assert first(llm.generate(QUESTION))


@pytest.mark.models
def test_closing_the_answer_stops_it_within_a_second_and_keeps_the_model(llm: Llm) -> None:
    pieces = llm.generate(QUESTION)
    first(pieces)
    before, start = llm.pid, time.monotonic()
    pieces.close()
    assert time.monotonic() - start < 1.0
    assert llm.pid == before
    assert "".join(llm.generate(QUESTION))


@pytest.mark.models
def test_a_prompt_being_read_is_abandoned_within_a_second_by_ending_the_process(gguf: Path) -> None:
    with Llm(gguf, context_tokens=32768, answer_tokens=40, threads=1) as model:
        model.count("charge le modèle")
        pieces = model.generate([Message("user", "mot " * 20000)])
        pid = model.pid
        failures: list[str] = []

        def ask() -> None:
            try:
                first(pieces)
            except GenerationFailed as failure:
                failures.append(str(failure.details["stage"]))

        asked = threading.Thread(target=ask)
        asked.start()
        child = psutil.Process(pid)
        busy = child.cpu_times().user + 0.5
        wait_until(lambda: child.cpu_times().user > busy)
        start = time.monotonic()
        model.close()
        asked.join(5)
        assert time.monotonic() - start < 1.0
        assert failures == ["prompt"]
        assert not psutil.pid_exists(pid or 0)


@pytest.mark.models
def test_a_killed_child_fails_the_answer_and_the_next_one_works(llm: Llm) -> None:
    expected = "".join(llm.generate(QUESTION))
    pieces = llm.generate(QUESTION)
    first(pieces)
    assert llm.pid
    os.kill(llm.pid, signal.SIGKILL)
    with pytest.raises(GenerationFailed) as failure:
        list(pieces)
    assert failure.value.details["stage"] == "tokens"
    assert "".join(llm.generate(QUESTION)) == expected


@pytest.mark.models
def test_five_questions_at_once_get_their_own_texts(gguf: Path) -> None:
    countries = ("la France", "l’Italie", "l’Espagne", "la Grèce", "la Pologne")
    prompts = [[Message("user", f"La capitale de {country} est")] for country in countries]
    with Llm(gguf, context_tokens=512, answer_tokens=12, threads=1) as llm:
        expected = ["".join(llm.generate(prompt)) for prompt in prompts]
        texts = [""] * len(prompts)

        def ask(rank: int) -> None:
            texts[rank] = "".join(llm.generate(prompts[rank]))

        askers = [threading.Thread(target=ask, args=(rank,)) for rank in range(len(prompts))]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join(60)
    assert texts == expected
    assert len(set(texts)) > 1


@pytest.mark.models
def test_closing_leaves_neither_process_nor_thread(gguf: Path) -> None:
    threads = threading.active_count()
    model = Llm(gguf, context_tokens=512, answer_tokens=8, threads=1)
    assert "".join(model.generate(QUESTION))
    pid = model.pid or 0
    model.close()
    model.close()
    assert not psutil.pid_exists(pid)
    assert threading.active_count() == threads
    assert model.pid is None


@pytest.mark.models
def test_an_abandoned_model_is_collected_with_its_process(gguf: Path) -> None:
    model = Llm(gguf, context_tokens=512, answer_tokens=8, threads=1)
    model.count("x")
    pid = model.pid or 0
    del model
    wait_until(lambda: not psutil.pid_exists(pid))


PARENT = """
import sys, time
from pathlib import Path
from engine.models.llm import Llm
from engine.seams import Message
model = Llm(Path(sys.argv[1]), context_tokens=1024, answer_tokens=900, threads=1)
pieces = model.generate([Message("user", "Bonjour")])
while not next(pieces):
    pass
sys.stdout.write(f"{model.pid}\\n")
sys.stdout.flush()
if sys.argv[2] == "wait":
    time.sleep(600)
"""


@pytest.mark.models
@pytest.mark.parametrize("end", ["wait", "exit"])
def test_the_child_ends_with_its_parent(gguf: Path, end: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(gguf), end], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        if end == "wait":
            assert psutil.pid_exists(pid)
            parent.kill()
        wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


@pytest.mark.models
def test_the_light_path_imports_no_llama_cpp() -> None:
    code = "import sys, engine.models.llm, engine.models.llm_child; sys.exit('llama_cpp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.models
def test_nothing_but_lines_of_json_leaves_the_child(gguf: Path) -> None:
    requests = [
        {"do": "load", "path": str(gguf), "n_ctx": 512, "n_threads": 1, "n_batch": 64},
        {"do": "count", "id": 1, "text": "Bonjour"},
        {"do": "shutdown"},
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    # Standard input stays open until the child has answered: closing it means "your parent died".
    with subprocess.Popen(
        command(), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin and child.stdout and child.stderr
        child.stdin.write(lines)
        child.stdin.flush()
        replies = [json.loads(line) for line in child.stdout]
        assert child.stderr.read() == ""
        assert child.wait(10) == 0
    assert replies == [{"ready": True}, {"id": 1, "count": 1}]
