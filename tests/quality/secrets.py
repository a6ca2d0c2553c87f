"""Nothing of what is private in a forum comes out of its archive: python -m tests.quality.secrets FORUM… [--pages N]

FORUM is a folder of `make_forum.py`: a backup, and truth.json with a token for each private post. The backup is imported
and indexed, by words and by vectors of words; then every way out of the archive is looked through. Status 1 for a leak.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

import yaml
from whoosh.index import open_dir

from app import answer_export, i18n, result_export
from engine import Answer, Mode, build_index, build_settings, import_archive, open_archive
from engine.exploring import explore
from engine.index import generations
from tests.factories import WORD_MODELS
from tests.quality.packed import texts, unpacked

ROOT = Path(__file__).resolve().parents[2]
# A token has digits; what make_forum.py says of e-mails and addresses of the network is private as well.
_SECRET = re.compile(rb"zzsecret\d+|@exemple\.invalid|198\.51\.100\.\d", re.IGNORECASE)
AT_ONCE = 8  # pages open together
QUIET_S = 2.0  # a page that says nothing for so long has said all


@dataclass(slots=True)
class Check:
    """One way out of the archive: how much of it was looked at, and what was found that should not be there."""

    name: str
    looked_at: int = 0
    leaks: list[str] = field(default_factory=list)

    def look(self, where: str, content: bytes | str, *, asked: Iterable[str] = ()) -> None:
        """Search one thing; words that were `asked` for may be said again."""
        self.looked_at += 1
        data = content.encode("utf-8", "replace") if isinstance(content, str) else content
        known = {word.encode().lower() for word in asked}
        for found in set(_SECRET.findall(data)) | set(_SECRET.findall(data.replace(b"\0", b""))):
            if found.lower() not in known:
                self.leaks.append(f"{where}: {found.decode()}")


def check_forum(
    forum: Path, data: Path, *, pages: int, tokens_searched: int = 0, say: Callable[[str], None] = lambda line: None
) -> Iterator[Check]:
    """Import the backup of `forum` into `data`, then look everywhere; `pages` topics are opened by each role.

    `tokens_searched` 0 is all of them.
    """
    (source,) = [*forum.glob("*.tar.gz"), *forum.glob("dump.sql.gz")]
    truth = json.loads((forum / "truth.json").read_text())
    tokens = [secret["token"] for secret in truth["secrets"]]
    searched = tokens[: tokens_searched or None]
    questions = [asked["question"] for asked in yaml.safe_load((forum / "queries.yml").read_text("utf-8"))]
    control = Check("control: the source itself, which is full of them")
    for content in unpacked(source.read_bytes()):
        control.look(source.name, content)
    assert len(control.leaks) >= len(tokens), "these eyes see nothing"
    settings = build_settings(data)
    began = time.monotonic()
    report = import_archive(settings, source)
    build_index(settings, WORD_MODELS)
    assert report.added == truth["expected_public_posts"], (report.added, truth["expected_public_posts"])
    say(
        f"{report.added} public posts of {truth['total_posts']}, {len(tokens)} tokens; imported, indexed in {time.monotonic() - began:.0f} s"
    )
    yield check_files("files of the data folder, after the import", data)
    yield check_words(data)
    yield from check_engine(data, searched, questions)
    yield from check_written(data, questions)
    yield check_commands(data)
    yield from check_exports(data)
    yield from check_pages(data, truth, questions, pages)
    yield check_files("files of the data folder, after all that", data, asked=tokens)


def check_files(name: str, folder: Path, *, asked: Iterable[str] = ()) -> Check:
    """The bytes of each file, what is packed in them, and each value of each table of the databases."""
    check = Check(name)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            where = str(path.relative_to(folder))
            for content in unpacked(path.read_bytes()):
                check.look(where, content, asked=asked)
            if path.suffix in (".db", ".sqlite3"):
                for table, value in texts(path):
                    for content in unpacked(value):
                        check.look(f"{where}, {table}", content, asked=asked)
    return check


def check_words(data: Path) -> Check:
    """Every term of the keyword index, of the current generation."""
    check = Check("terms of the keyword index")
    settings = build_settings(data)
    folder = generations.folder_of(settings, generations.current(settings) or "")
    with closing(open_dir(str(folder / "whoosh"))) as index, index.reader() as reader:
        for name, term in reader.all_terms():
            check.look(name, term)
        for _number, stored in reader.iter_docs():
            check.look("stored", repr(stored))
    return check


def check_engine(data: Path, tokens: list[str], questions: list[str]) -> Iterator[Check]:
    """Each token searched in each way, and what is suggested, counted and answered."""
    searched, counted = (
        Check("searches for each token: hits, suggestions, corrections"),
        Check("counts beside a search"),
    )
    answered = Check("answers by extracts, their evidence and context")
    with open_archive(build_settings(data), WORD_MODELS) as archive:
        for n, token in enumerate(tokens):
            for mode in Mode if n % 10 == 0 else (Mode.BM25,):
                found = archive.search(token, mode=mode, k=20)
                if mode is Mode.BM25 and found.total and not found.corrections:
                    searched.leaks.append(f"{token}: {found.total} hits")
                searched.look(token, repr((found.hits, found.notices, found.suggestion)), asked=[token])
                searched.look(token, repr([read for _typed, read in found.corrections]))
        for text in [*questions[:40], *tokens[:40], "zzsecret", "zzsecret*", "secret"]:
            counted.look(text, repr(explore(archive, text)), asked=[text])
        for text in [*questions[:60], *tokens[:40]]:
            for event in archive.ask(text, answerer="extractive"):
                answered.look(text, repr(event), asked=[text])
    yield from (searched, counted, answered)


def check_written(data: Path, questions: list[str]) -> Iterator[Check]:
    """Lists of results and answers, as files."""
    lists, answers = Check("lists of results as CSV and Markdown"), Check("answers as Markdown and HTML")
    i18n.use("fr")
    with open_archive(build_settings(data), WORD_MODELS) as archive:
        origin = answer_export.Origin(
            "Forum", "https://forum.exemple.fr", datetime(2026, 3, 1, tzinfo=UTC), datetime.now(UTC)
        )
        for question in questions[:60]:
            hits = archive.search(question, k=200).hits
            lists.look(question, result_export.as_csv(hits))
            lists.look(question, result_export.as_markdown(hits, title=question))
            for event in archive.ask(question, answerer="extractive"):
                if isinstance(event, Answer):
                    answers.look(question, answer_export.markdown(event, origin))
                    answers.look(question, answer_export.html(event, origin))
    yield from (lists, answers)


def check_commands(data: Path) -> Check:
    """What the commands print."""
    check = Check("what commands print: status, search, ask, doctor, questions")
    for command in (
        ["status", "--json"], ["status"], ["search", "zzsecret", "--json"], ["search", "frein", "-k", "200", "--explain"],
        ["ask", "Que dit le message secret ?", "--json"], ["doctor", "--json"], ["questions", "--json"],
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "app", "--data", str(data), *command], cwd=ROOT, capture_output=True
        )
        assert done.stdout, (command, done.stderr[-500:])
        check.look(" ".join(command), done.stdout + done.stderr)
    return check


def check_exports(data: Path) -> Iterator[Check]:
    """The archive as saved JSON, as pages, and the backup of the data folder."""
    with tempfile.TemporaryDirectory() as name:
        for kind in ("json", "html"):
            folder = Path(name) / kind
            _archiviste(data, "export", str(folder), "--format", kind)
            yield check_files(f"export as {kind}", folder)
        _archiviste(data, "backup", str(Path(name) / "copie.tar"))
        (kept,) = Path(name).glob("copie*")
        check = Check("backup of the data folder")
        for content in unpacked(kept.read_bytes()):
            check.look(kept.name, content)
        yield check


def _archiviste(data: Path, *arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", "--data", str(data), *arguments], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-1000:]


def check_pages(data: Path, truth: dict, questions: list[str], pages: int) -> Iterator[Check]:
    """The pages as readers and as moderators see them, with all that their sockets bring; and those of private places."""
    from tests.app.access.visitor import MODERATOR, READER, Visitor, heard, set_passphrases
    from tests.browser.server import running

    set_passphrases(data)
    private = Check("addresses of private posts and topics")
    with running(data, "--lan") as server:
        for role, phrase in (("readers", READER), ("moderators", MODERATOR)):
            check = Check(f"pages, as {role} see them")
            visitors = [Visitor(server) for _ in range(AT_ONCE)]
            for one in visitors:
                one.enter(phrase)

            def told(one: Visitor, some: list[str]) -> list[tuple[str, str]]:
                found = []
                for address in some:
                    _status, page = one.open(address)
                    said = ""
                    if page:
                        with one.socket(page) as line:
                            said = "".join(heard(line, within_s=QUIET_S, patience_s=10))
                    found.append((address, one.page + said))
                return found

            wanted = list(addresses(data, questions, pages))
            with ThreadPoolExecutor(AT_ONCE) as pool:  # a page is waited for more than it works
                for found in pool.map(told, visitors, (wanted[n::AT_ONCE] for n in range(AT_ONCE))):
                    for address, content in found:
                        check.look(address, content)
            visitor = visitors[0]
            if role == "moderators":
                for path in ("/archive/registre.csv", "/archive/registre.json"):
                    check.look(path, visitor.http.get(path).content)
            yield check
        for secret in truth["secrets"][:: max(1, len(truth["secrets"]) // (4 * pages))]:
            for address in (f"/p/{secret['post_id']}", f"/t/{secret['topic_id']}/{secret['post_number']}"):
                visitor.open(address)
                private.look(address, visitor.page, asked=[])
    yield private


def addresses(data: Path, questions: list[str], pages: int) -> Iterator[str]:
    """Each kind of page, with words, members, tags and topics of this archive."""
    from tests.every_page import SAMPLES

    yield from (
        address
        for route, found in SAMPLES.items()
        if "{" not in route
        for address in found[:1]
        if "sortir" not in address
    )
    with open_archive(build_settings(data), WORD_MODELS) as archive:
        rows = archive.store.rows
        for topic_id, slug in rows("SELECT id, slug FROM topics ORDER BY random() LIMIT ?", (pages,)):
            yield f"/t/{quote(slug)}/{topic_id}"
        for topic_id, slug in rows("SELECT id, slug FROM topics ORDER BY random() LIMIT ?", (pages // 8 + 1,)):
            yield f"/t/{quote(slug)}/{topic_id}/imprimer"
        for (name,) in rows("SELECT username FROM users ORDER BY random() LIMIT ?", (pages // 4 + 1,)):
            yield f"/u/{quote(name)}"
        for number, slug in rows("SELECT id, slug FROM categories"):
            yield f"/c/{quote(slug)}/{number}"
        for (tag,) in rows("SELECT DISTINCT tag FROM topic_tags LIMIT ?", (pages // 4 + 1,)):
            yield f"/etiquette/{quote(tag)}"
    yield from (f"/ce-jour-la/{day}" for day in ("03-01", "07-14"))
    for question in questions[: pages // 2 + 1]:
        yield f"/chercher?q={quote(question)}"
    for question in [*questions[: pages // 8 + 1], "zzsecret"]:
        yield f"/demander?q={quote(question)}"
    yield from (f"/chercher?q={quote(text)}" for text in ("zzsecret", "secret", "message privé", "auteur:system"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("forums", nargs="+", type=Path, metavar="FORUM")
    parser.add_argument("--pages", type=int, default=60, help="topics opened by each role, and as many others (60)")
    given = parser.parse_args()
    leaks = 0
    for forum in given.forums:
        with tempfile.TemporaryDirectory() as name:
            made = json.loads((forum / "truth.json").read_text())["made_with"]
            print(f"{forum.name}: {made}")
            for check in check_forum(forum, Path(name), pages=given.pages, say=print):
                leaks += len(check.leaks)
                print(f"  {check.name:<62} {check.looked_at:>8} looked at, {len(check.leaks)} leaks", flush=True)
                for leak in check.leaks[:5]:
                    print(f"    {leak}")
    return int(bool(leaks))


if __name__ == "__main__":
    sys.exit(main())
