"""Every fault: how it is made, and what comes of it. The tests judge them, `tests.faults.table` prints them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

import psutil

from app import jobs as job_table
from app import locks, tasks
from app.job_states import Kind, State, Work
from app.job_words import job_lines
from app.jobs import Jobs, worker_lock
from app.messages import message
from app.settings import AppSettings
from app.supervisor import Supervisor
from engine import Answer, ArchivisteError, Models, build_settings, load_models, open_archive
from tests.app.job_sources import topics, until

from . import ground
from .ground import command, posts_hash

SEARCHED = "freins"


@dataclass(slots=True)
class Seen:
    """What a fault came to: the sentences that were seen, and the hash of the messages before and after."""

    said: list[str] = field(default_factory=list)
    works: list[str] = field(default_factory=list)  # what went on working
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, how it is injected, and the words that must be seen."""

    name: str
    injected: str
    run: Callable[[Path, Path, Seen], None]
    expected: tuple[str, ...]

    @property
    def mounts(self) -> bool:
        """Whether it takes a disk of its own."""
        return self.run.__name__.startswith(("disk_full", "read_only"))


FAULTS: list[Fault] = []
Body = Callable[[Path, Path, Seen], None]


def fault(name: str, injected: str, *expected: str, among: list[Fault] = FAULTS) -> Callable[[Body], Body]:
    """Enter a fault: a function of a data folder of its own, of a folder beside it, and of what is seen."""

    def enter(body: Body) -> Body:
        among.append(Fault(name, injected, body, expected))
        return body

    return enter


def happen(one: Fault, demo: Path, place: Path) -> Seen:
    """Let a fault happen to a copy of the demo forum, in an empty folder."""
    data, seen = place / "archive", Seen()
    # Another test may be serving the original: what its readers share is not of the copy, and would be room on a full disk.
    shutil.copytree(demo, data, ignore=shutil.ignore_patterns("*.db-shm", "*.db-wal"))
    seen.before = posts_hash(data)
    one.run(data, place, seen)
    seen.after = seen.after or posts_hash(data)
    return seen


def _search(data: Path, seen: Seen, *, told: bool = True) -> None:
    ran = command(data, "search", SEARCHED, "-k", "1")
    assert "Traceback" not in ran.said
    if ran.status == 0:
        seen.works.append("search")
    if told:
        seen.said.append(ran.said.splitlines()[0])


def _serves(server: ground.Server, seen: Seen, *paths: str) -> None:
    for path in paths:
        status, _page = server.page(path)
        assert status == 200, (path, status, server.said)
        seen.works.append(path)


# --- the disk -----------------------------------------------------------------------------------


@fault(
    "Disque plein pendant un import",
    "tmpfs de 4 Mo rempli à 600 ko près, import de 3 000 messages",
    "Le disque est plein",
)
def disk_full_import(data: Path, place: Path, seen: Seen) -> None:
    source = topics(place / "sujets", posts=3000)
    with ground.small_disk(place / "disque", size_mb=4) as disk:
        held = shutil.copytree(data, disk / "archive")
        known = ground.ids_of(held)
        (disk / "lest").write_bytes(bytes(max(0, shutil.disk_usage(disk).free - 600_000)))
        ran = command(held, "import", source)
        assert ran.status == 1
        seen.said.append(ran.said.splitlines()[-1])
        (disk / "lest").unlink()
        seen.after = posts_hash(held, known)
        seen.before = posts_hash(data)
        _search(held, seen, told=False)


@fault("Disque plein à l’ouverture", "tmpfs plein à l’octet près", "Le disque est plein")
def disk_full_start(data: Path, place: Path, seen: Seen) -> None:
    with ground.small_disk(place / "disque", size_mb=4) as disk:
        held = shutil.copytree(data, disk / "archive")
        filler = ground.fill(disk)
        for arguments in (("serve",), ("search", SEARCHED), ("import", data), ("index",)):
            ran = command(held, *arguments)
            assert ran.status == 1, (arguments, ran)
            seen.said.append(ran.said.splitlines()[-1])
        filler.unlink()
        seen.after = posts_hash(held)
        _search(held, seen, told=False)


@fault("Disque plein pendant que l’application tourne", "tmpfs rempli sous le serveur ouvert", "Le disque est plein")
def disk_full_running(data: Path, place: Path, seen: Seen) -> None:
    with ground.small_disk(place / "disque", size_mb=6) as disk:
        held = shutil.copytree(data, disk / "archive")
        with ground.serving(held, place / "log") as server:
            server.wait_for_worker()
            filler = ground.fill(disk)
            _serves(server, seen, "/", f"/chercher?q={SEARCHED}", "/archive", "/archive/travaux")
            with closing(Jobs(held)) as jobs:
                try:
                    tasks.start(jobs, AppSettings(), Work(Kind.INDEX))
                except ArchivisteError as error:
                    seen.said.append(message(error))
            filler.unlink()
            with closing(Jobs(held)) as jobs:
                job = tasks.start(jobs, AppSettings(), Work(Kind.INDEX, vectors=False))
                ended = until(lambda: (now := jobs.get(job.id)).ended_at and now)
            seen.works.append(f"index: {ended.state.value}")  # forecast: such a disk is too small for an index
            seen.said += [line.strip() for line in job_lines(ended)][1:]
        assert "Traceback" not in server.said
        seen.after = posts_hash(held)


@fault(
    "Disque plein pendant une sauvegarde", "tmpfs de 2 Mo comme destination", "pas assez de place pour cette sauvegarde"
)
def disk_full_backup(data: Path, place: Path, seen: Seen) -> None:
    with ground.small_disk(place / "clé", size_mb=2) as disk:
        ran = command(data, "backup", disk / "copie.gz")
        assert ran.status == 1 and not [*disk.iterdir()]
        seen.said.append(ran.said.splitlines()[-1])


@fault("Dossier en lecture seule au démarrage", "montage remonté en lecture seule", "ne peut pas être écrit")
def read_only_start(data: Path, place: Path, seen: Seen) -> None:
    with ground.cant_be_written(data):
        ran = command(data, "serve")
        assert ran.status == 1
        seen.said.append(ran.said.splitlines()[-1])
        _search(data, seen, told=False)
        for arguments in (("ask", "Que faire quand mes freins grincent ?"), ("backup", place / "copie.gz")):
            assert command(data, *arguments).status == 0
            seen.works.append(arguments[0])
        seen.said.append(command(data, "import", place).said.splitlines()[-1])


@fault("Dossier en lecture seule pendant que l’application tourne", "remontage en lecture seule sous le serveur ouvert",
       "Vérifiez que le disque est branché")  # fmt: skip
def read_only_running(data: Path, place: Path, seen: Seen) -> None:
    with ground.serving(data, place / "log") as server:
        server.wait_for_worker()
        with ground.cant_be_written(data):
            # What the server holds open was opened before; what it opens from now on meets the fault.
            _serves(server, seen, "/", f"/chercher?q={SEARCHED}", "/archive", "/parcourir")
            ran = command(data, "index")
            assert ran.status == 1
            seen.said.append(ran.said.splitlines()[-1])
    assert "Traceback" not in server.said


# --- databases ----------------------------------------------------------------------------------


@fault("Page SQLite corrompue : archive.db", "toutes les pages sauf la première, écrasées", "archive.db", "restore")
def spoilt_archive(data: Path, place: Path, seen: Seen) -> None:
    assert command(data, "backup", place / "copie.gz").status == 0
    shutil.copy(data / "archive.db", place / "abîmée.db")
    ground.spoil_pages(place / "abîmée.db")
    shutil.copy(place / "abîmée.db", data / "archive.db")
    _search(data, seen)
    with ground.serving(data, place / "log") as server:
        status, page = server.page("/")
        assert status == 500 and message_of_damage(data) in page, page[:2000]
        assert server.page("/archive")[0] == 200
        seen.works.append("/archive")
    assert "Traceback" not in server.said
    assert (data / "archive.db").read_bytes() == (place / "abîmée.db").read_bytes()  # as it was found
    ran = command(data, "restore", place / "copie.gz")
    assert ran.status == 0, ran
    seen.works.append("restore")


def message_of_damage(data: Path) -> str:
    """The sentence for a damaged archive.db."""
    from engine import StoreDamaged

    return message(StoreDamaged(path=str(data / "archive.db"), file="archive.db"))


@fault(
    "Pages SQLite corrompues : vectors.db, app.db, queue.db",
    "toutes les pages sauf la première, écrasées",
    ".damaged",
    "archiviste access",
)
def spoilt_others(data: Path, place: Path, seen: Seen) -> None:
    command(data, "jobs")
    with closing(Jobs(data)) as jobs, closing(tasks.Queue(jobs, AppSettings())):
        pass
    for name in ("vectors.db", "app.db", "queue.db"):
        ground.spoil_pages(data / name)
    _search(data, seen)
    with ground.serving(data, place / "log") as server:
        server.wait_for_worker()
        _serves(server, seen, "/", f"/chercher?q={SEARCHED}", "/archive", "/archive/travaux")
        with closing(Jobs(data)) as jobs:
            job = tasks.start(jobs, AppSettings(), Work(Kind.INDEX, vectors=False))  # those take minutes
            assert until(lambda: (now := jobs.get(job.id)).ended_at and now).state is State.DONE
        seen.works.append("index")
    said = server.said.splitlines()
    assert "Traceback" not in server.said
    seen.said += said[:3]
    assert len([*data.glob("*.damaged")]) == 3


@fault("queue.db verrouillée", "verrou exclusif d’un autre processus", "Rien n’est perdu")
def locked_queue(data: Path, place: Path, seen: Seen) -> None:
    with closing(Jobs(data)) as jobs, mock.patch.object(tasks, "BUSY_TIMEOUT_S", 0.2):
        with closing(tasks.Queue(jobs, AppSettings())), closing(sqlite3.connect(data / "queue.db")) as other:
            other.execute("BEGIN EXCLUSIVE")
            try:
                tasks.start(jobs, AppSettings(), Work(Kind.INDEX))
            except ArchivisteError as error:
                seen.said.append(message(error))
            (failed,) = jobs.recent()
            assert failed.state is State.FAILED
            other.execute("ROLLBACK")
        assert tasks.start(jobs, AppSettings(), Work(Kind.INDEX)).state is State.WAITING
        seen.works.append("start again")
    _search(data, seen, told=False)


# --- indexes ------------------------------------------------------------------------------------


@fault(
    "Graphe HNSW tronqué",
    "chaque fichier .bin coupé à 10 octets",
    "reconstruit|fait de nouveau|refait|un par un|mots exacts",
)
def cut_graph(data: Path, place: Path, seen: Seen) -> None:
    for path in (data / "indexes").rglob("*.bin"):
        os.truncate(path, min(10, path.stat().st_size))
    _search(data, seen)
    assert command(data, "doctor", "--repair").status == 0
    seen.works.append("doctor --repair")


@fault(
    "Génération absente, CURRENT vers nulle part",
    "dossier supprimé ; CURRENT renommé, vide, ou fait d’octets au hasard",
    "Refaites|Lancez l’indexation|indexation",
)
def lost_generation(data: Path, place: Path, seen: Seen) -> None:
    current = data / "indexes" / "CURRENT"
    name = current.read_text()
    for content in (b"2020-rien\n", b"", os.urandom(300), b"../../etc"):
        current.write_bytes(content)
        _search(data, seen)
    current.write_text(name)
    shutil.rmtree(data / "indexes" / name.strip())
    _search(data, seen)
    assert command(data, "index", "--wait").status == 0
    seen.works.append("index")
    _search(data, seen, told=False)


# --- processes ----------------------------------------------------------------------------------


@fault(
    "Deux instances, port pris", "deuxième serve sur le même dossier, puis sur le même port", "déjà ouvert", "Le port"
)
def two_instances(data: Path, place: Path, seen: Seen) -> None:
    with ground.serving(data, place / "log") as server:
        ran = command(data, "serve", "--port", server.port + 1)
        assert ran.status == 0
        seen.said.append(ran.said.strip())
        other = shutil.copytree(data, place / "autre", ignore=shutil.ignore_patterns("*.lock", "server"))
        ran = command(other, "serve", "--port", server.port)
        assert ran.status == 1
        seen.said.append(ran.said.strip())
        _serves(server, seen, "/")


@fault(
    "Instance de tâches qui meurt en boucle", "un worker qui sort aussitôt avec le statut 3", "plusieurs fois de suite"
)
def dying_worker(data: Path, place: Path, seen: Seen) -> None:
    from tests.app.test_supervisor import DIES

    told: list[str] = []
    one = Supervisor(data, DIES, first_delay_s=0.01, told=told.append)
    one.start()
    try:
        until(lambda: one.notice)
    finally:
        one.stop()
    seen.said += [message(code) for code in told]
    _search(data, seen, told=False)


@fault("Modèle de langue supprimé pendant que l’application tourne", "fichier GGUF effacé après l’ouverture", "modèle")
def lost_model(data: Path, place: Path, seen: Seen) -> None:
    model = place / "petit.gguf"
    model.write_bytes(b"GGUF" + bytes(1000))
    settings = build_settings(data, {"llm_model": model})
    models = load_models(settings)
    model.unlink()
    question = "Que faire quand mes freins grincent sous la pluie ?"
    with open_archive(settings, models) as archive:
        *_, outcome = archive.ask(question)
        assert isinstance(outcome, Answer) and outcome.answerer == "extractive"
        seen.works.append("extracts")
        seen.said += [message(code) for code in outcome.notices]
        try:
            for _event in archive.ask(question, answerer="llm"):
                pass
        except ArchivisteError as error:
            seen.said.append(message(error))
    models.close()


@fault(
    "Machine mise en veille pendant une indexation",
    "SIGSTOP de l’application et du worker 5 s (battement : 2 s), puis SIGCONT",
    "terminé",
)
def suspended(data: Path, place: Path, seen: Seen) -> None:
    command(data, "import", topics(place / "sujets", posts=150))
    seen.before = posts_hash(data)
    with ground.serving(data, place / "log", environ={"ARCHIVISTE_EMBED_BATCH": "4"}) as server, ExitStack() as awake:
        server.wait_for_worker()
        with closing(Jobs(data)) as jobs:
            job = tasks.start(jobs, AppSettings(), Work(Kind.INDEX))
            until(lambda: jobs.get(job.id).stage == "encode")
            family = [psutil.Process(server.process.pid), *psutil.Process(server.process.pid).children(recursive=True)]
            for one in family:
                one.suspend()
                awake.callback(one.resume)
            time.sleep(5)
            listed = command(data, "jobs").said  # somebody looks meanwhile: nothing is taken for dead
            assert jobs.get(job.id).state is State.RUNNING and locks.is_held(worker_lock(data)), listed
            awake.close()
            ended = until(lambda: (now := jobs.get(job.id)).ended_at and now)
        assert (ended.state, ended.crashes) == (State.DONE, 0)
        seen.said.append(next(job_lines(ended)))
        _serves(server, seen, "/")
    assert "Traceback" not in server.said
    with open_archive(build_settings(data), Models()) as archive:
        assert archive.agreement()


@fault(
    "Horloge qui recule", "un jour de moins entre le début et la fin d’une tâche ; session née « demain »", "terminé"
)
def clock_back(data: Path, place: Path, seen: Seen) -> None:
    from app import running

    with closing(Jobs(data)) as jobs:
        work = Work(Kind.INDEX, vectors=False)
        job = jobs.create(work)
        began, real = time.monotonic(), job_table._now
        with mock.patch.object(job_table, "_now", lambda: real() - (86400 if time.monotonic() > began + 0.2 else 0)):
            ended = running.run(jobs, job.id, build_settings(data))
            assert ended is not None and ended.state is State.DONE
            seen.said.append(next(job_lines(ended)))
            assert json.loads(command(data, "jobs", "--json").said)
        # An update that a clock of tomorrow noted is not waited for until tomorrow.
        assert tasks.is_due(jobs, work, every_hours=1, now=datetime.now(UTC) - timedelta(days=2))
    _search(data, seen, told=False)
