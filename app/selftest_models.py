"""The self-test's steps for models that are given to it: that they are loaded and run, not how good they are."""

from __future__ import annotations

from pathlib import Path

from .selftest_commands import STEP_S, run, run_json


def language_model(data: Path, question: str, gguf: Path) -> str:
    """Ask it. A tiny model is no judge of answers: that it was asked, and wrote, is what counts."""
    answer = run_json(data, "ask", "--answerer", "llm", question, ARCHIVISTE_LLM=str(gguf))
    timings = answer["timings_ms"]
    if answer["answerer"] != "llm" or not timings.get("generate"):
        raise AssertionError(f"answered by {answer['answerer']}: {timings}")
    return f"{answer['kind']}, {timings['generate']:.0f} ms"


def encoder(data: Path, question: str, folder: Path) -> str:
    """Read every message with an encoder of bge-m3's kind, then search with it alone."""
    chosen = {"ARCHIVISTE_BGE": str(folder)}
    run(data, "index", "--wait", **chosen)
    dense = run_json(data, "status", **chosen)["dense"]
    if not dense["model"].startswith(folder.name) or dense["coverage"] < 1:
        raise AssertionError(f"vectors: {dense}")
    found = run_json(data, "search", "--mode", "dense", question, **chosen)
    if not found["hits"]:
        raise AssertionError(f"hits: {found['total']}")
    return f"{dense['model']}, {len(found['hits'])} hits"


def reranker(data: Path, question: str, folder: Path) -> str:
    """Search with a second reading of the results, however long the first takes to load its model."""
    chosen = {"ARCHIVISTE_RERANKER_MODEL": str(folder), "ARCHIVISTE_RERANK_DEADLINE_S": str(STEP_S)}
    hits = run_json(data, "search", question, **chosen)["hits"]
    read = [hit for hit in hits if any(part["ranking"] == "rerank" for part in hit["contributions"])]
    if not read:
        raise AssertionError(f"none of {len(hits)} hits was read again")
    return f"{len(read)} of {len(hits)} hits"
