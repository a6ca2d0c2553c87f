"""The command line on the demo forum: every reading command and option, for a person and as JSON."""

import json
import re
from datetime import datetime

import pytest

from app import cli, i18n

SECRET = "zzsecretdemo"
HIT_KEYS = [
    *(
        "rank",
        "post_id",
        "topic_id",
        "post_number",
        "url",
        "title",
        "category",
        "author",
        "created_at",
        "score",
    ),
    *("excerpt", "contributions", "matched"),
]
HOSTILE = [
    *(
        "(",
        '"',
        "*",
        "((((",
        '"""',
        "*:*",
        "a AND OR NOT",
        "titre:",
        "auteur:",
        "-",
        "--- ---",
        "\\",
        "[[1]]",
    ),
    *(
        "🚲🔧",
        "été\u0301",
        "<script>alert(1)</script>",
        "a" * 10_000,
        "vélo " * 2_000,
        "\ud800",
        "a\nb\tc",
        "' OR 1=1",
    ),
]


@pytest.fixture
def data(demo_data):
    return demo_data


@pytest.fixture
def run(data, capsys):
    """Runs a command on the demo archive: (status, stdout, stderr)."""

    def call(*argv, environ=None):
        try:
            status = cli.run(["--data", str(data), *argv], environ or {})
        except SystemExit as stopped:
            status = stopped.code
        output = capsys.readouterr()
        assert SECRET not in output.out + output.err
        assert "Traceback" not in output.out + output.err
        return status, output.out, output.err

    yield call
    i18n.use("fr")


@pytest.fixture
def run_json(run):
    def call(*argv):
        status, out, err = run(*argv, "--json")
        assert status == 0, err
        return json.loads(out)

    return call


# --- status -----------------------------------------------------------------------------------


def test_status_json_is_the_contract(run_json):
    document = run_json("status")
    assert list(document) == [*("posts", "topics", "categories", "skipped", "lexical", "dense", "generation", "jobs")]
    assert (document["posts"], document["topics"], document["categories"]) == (329, 35, 8)
    assert document["skipped"] == {"hidden": 2, "restricted_category": 7, "small_action": 2}
    assert document["lexical"] == {"posts": 329}
    assert list(document["dense"]) == ["posts", "coverage", "model"]
    assert document["dense"]["coverage"] == 1.0
    assert isinstance(document["dense"]["model"], str)
    assert isinstance(document["generation"], str)
    assert document["jobs"] == []


def test_status_tells_a_person_the_same(run):
    status, out, err = run("status")
    assert (status, err) == (0, "")
    assert "Le Garde-boue" in out
    assert "Messages\u00a0: 329" in out
    assert "7 × dans une catégorie réservée" in out


# --- search -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["hybrid", "bm25", "dense"])
def test_search_json_is_the_contract(run_json, mode):
    document = run_json("search", "jante R-28C rappel officiel", "-k", "4", "--mode", mode)
    assert list(document) == [
        *("query", "mode", "total", "took_ms", "hits", "corrections", "suggestion", "timings_ms"),
    ]
    assert document["query"] == "jante R-28C rappel officiel"
    assert document["mode"] == mode
    assert document["total"] >= 4
    assert document["took_ms"] > 0
    assert [hit["rank"] for hit in document["hits"]] == [1, 2, 3, 4]
    legs = {"hybrid": {"lexical", "dense", "combination"}, "bm25": {"lexical"}, "dense": {"dense"}}[mode]
    for hit in document["hits"]:
        assert list(hit) == HIT_KEYS
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", hit["created_at"])
        assert datetime.fromisoformat(hit["created_at"]).year in range(2012, 2027)
        assert hit["post_id"] == hit["topic_id"] * 1000 + hit["post_number"]
        assert hit["url"].startswith("https://garde-boue.exemple/t/")
        assert hit["url"].endswith(f"/{hit['topic_id']}/{hit['post_number']}")
        assert {part["ranking"] for part in hit["contributions"]} <= legs
        assert all(list(part) == ["ranking", "rank", "weight", "share"] for part in hit["contributions"])
        assert hit["score"] == pytest.approx(sum(part["share"] for part in hit["contributions"]))
    assert 120 in {hit["topic_id"] for hit in document["hits"]}


def test_search_for_a_person_numbers_the_results_and_links_them(run):
    status, out, err = run("search", "jante R-28C rappel", "-k", "2")
    assert (status, err) == (0, "")
    assert out.startswith("1. ")
    assert "\n2. " in out
    assert "2019 · Roues et pneus" in out
    assert out.count("https://garde-boue.exemple/t/") == 2
    assert re.search(r"2 résultats affichés, en [\d,]+\u00a0s\.\n$", out)
    assert "rang" not in out


def test_explain_adds_the_contributions(run):
    _, out, _ = run("search", "jante R-28C rappel", "-k", "1", "--explain")
    assert re.search(r"mots exacts\u00a0: rang \d+, poids 1, part 0,0\d{3}", out)
    assert re.search(r"Total\u00a0: 0,\d{4}", out)
    assert "Mots trouvés\u00a0: jant, 28c, rappel, r-28c" in out


def test_words_need_no_quotation_marks(run_json):
    assert run_json("search", "jante", "voilée")["query"] == "jante voilée"


def test_filters_hold(run_json):
    document = run_json("search", "auteur:tontonrayon roue", "-k", "50")
    assert {hit["author"] for hit in document["hits"]} == {"tontonrayon"}


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("", "La recherche est vide"),
        ("   ", "La recherche est vide"),
        ("le la les", "trop courants"),
        ("auteur:personne", "Aucun membre de ce nom"),
        ("catégorie:rien", "Aucune catégorie de ce nom"),
        ("étiquette:rien", "Aucune étiquette de ce nom"),
        ("#rien", "Aucune catégorie de ce nom"),
    ],
)
def test_a_search_that_finds_nothing_says_why_and_is_served(run, text, notice):
    status, out, err = run("search", text, "--json")
    assert status == 0
    assert json.loads(out)["hits"] == []
    assert notice in err


def test_a_bad_date_is_told(run):
    status, out, err = run("search", "avant:hier")
    assert (status, out) == (1, "")
    assert "«\u00a0hier\u00a0» n’est pas une date" in err


@pytest.mark.parametrize("text", HOSTILE)
def test_no_search_breaks(run, text):
    status, out, _ = run("search", "--json", "--", text)
    assert status == 0
    assert len(json.loads(out)["hits"]) <= 10


@pytest.mark.parametrize("text", HOSTILE)
def test_no_question_breaks(run, text):
    status, out, _ = run("ask", "--json", "--answerer", "extractive", "--", text)
    assert status == 0
    assert json.loads(out)["kind"] in ("answer", "abstention")


def test_what_is_private_is_never_found(run):
    for text in (SECRET, f"{SECRET}1", "débrider batterie shunt", "cliquez sur mon profil", "D-16-07"):
        for command in ("search", "ask"):
            assert run(command, text)[0] == 0


def test_what_is_private_is_in_no_file(data):
    holders = [p for p in data.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert holders == []
    assert not list(data.rglob("dump.sql*"))


# --- ask --------------------------------------------------------------------------------------


def test_ask_json_is_the_contract(run_json):
    document = run_json("ask", "Jante R-28C : quels lots sont concernés par le rappel officiel ?")
    assert list(document) == [
        *("question", "kind", "zone", "answerer", "text", "citations", "evidence", "removed_links"),
        *("unsupported_sentences", "timings_ms"),
    ]
    assert document["kind"] == "answer"
    assert document["zone"] in ("weak", "normal")
    assert document["answerer"] == "extractive"
    assert document["removed_links"] == 0
    assert document["unsupported_sentences"] == []
    assert all(isinstance(spent, float) for spent in document["timings_ms"].values())
    assert document["citations"]
    known = {item["n"]: item for item in document["evidence"]}
    for citation in document["citations"]:
        assert list(citation) == ["n", "post_id", "topic_id", "post_number", "url", "quote"]
        assert citation["post_id"] == known[citation["n"]]["post_id"]
    for item in document["evidence"]:
        assert list(item) == ["n", "post_id", "topic_id", "post_number", "url", "title", "text"]
    marked = {int(n) for n in re.findall(r"\[\[(\d+)\]\]", document["text"])}
    assert marked == {citation["n"] for citation in document["citations"]}


def test_ask_for_a_person_heads_the_extracts_and_lists_the_sources(run):
    status, out, err = run("ask", "Jante R-28C : quels lots sont concernés par le rappel officiel ?")
    assert (status, err) == (0, "")
    assert out.startswith("Extraits de l’archive\n\n«\u00a0")
    text, _, sources = out.partition("\nSources\u00a0:\n")
    assert "[[" not in out
    cited = set(re.findall(r"\[(\d+)\]", text))
    assert cited == set(re.findall(r"^\[(\d+)\] ", sources, re.M))
    assert "https://garde-boue.exemple/t/" in sources


@pytest.mark.parametrize("question", ["", "  "])
def test_an_empty_question_is_an_abstention(run, question):
    status, out, _ = run("ask", question, "--json")
    document = json.loads(out)
    assert (status, document["kind"], document["zone"]) == (0, "abstention", "empty")
    assert document["text"].startswith("La question est vide")
    assert document["citations"] == []


def test_an_abstention_tells_a_person_what_comes_closest(run):
    status, out, _ = run("ask", "zorglub quantique xyzzy")
    assert status == 0
    assert out.startswith("Je n’ai ")


def test_asking_a_model_that_is_not_there_is_refused(run):
    status, out, err = run("ask", "Cire ou huile ?", "--answerer", "llm")
    assert (status, out) == (1, "")
    assert "Aucun modèle de langue" in err


# --- demo -------------------------------------------------------------------------------------


def test_the_demo_can_be_installed_again(run, data):
    before = run("status", "--json")[1]
    status, out, _ = run("demo")
    assert status == 0
    assert f'archiviste --data "{data}" serve' in out
    assert run("status", "--json")[1] == before


def test_the_demo_has_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(cli.settings, "user_data", lambda: tmp_path)
    given = cli.arguments.parse(["demo"])
    assert cli._choices(given, {}).engine.data == tmp_path / "demo"
    assert cli._choices(cli.arguments.parse(["status"]), {}).engine.data == tmp_path


# --- language ---------------------------------------------------------------------------------


def test_the_screen_speaks_english_when_asked(run):
    assert "Messages: 329" in run("--lang", "en", "status")[1]
    assert "Messages: 329" in run("status", "--lang", "en")[1]
    assert "Messages: 329" in run("status", environ={"ARCHIVISTE_LANG": "en"})[1]
