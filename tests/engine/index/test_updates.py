"""Updates: the difference is applied beside what serves, which stays whole; nothing that stands is lost or made twice."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engine.archive import open_archive
from engine.errors import Cancelled
from engine.index import building, encoding, generations, lexical, publishing
from engine.index.french import analyser
from engine.index.lexical import LexicalIndex
from engine.index.passages import IndexablePost
from engine.seams import Models
from engine.sources import CookedText
from engine.values import Mode, PostId
from tests.engine.conftest import index
from tests.factories import BISTROT, WORD_MODELS, forum, post, save, settings, topic, word_embed

FR = analyser("fr")
WORDS = ("selle", "guidon", "pignon", "moyeu", "rayon")


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Twelve posts are treated as 425,000 are."""
    monkeypatch.setattr(publishing, "SMALL", 0)
    monkeypatch.setattr(publishing, "MOST_CHANGED", 0.9)
    monkeypatch.setattr(publishing, "MOST_PATCHED", 100)


@pytest.fixture
def folder(tmp_path):
    save(tmp_path, forum())
    index(tmp_path)
    return tmp_path


def counting(counted, name="words-512"):
    return Models(embed=lambda texts, role: (counted.extend(texts), word_embed(texts, role))[1], embed_name=name)


def changed_forum():
    """A post added, one edited, one moved to another topic, one removed; a topic renamed, another recategorised."""
    items = []
    for item in forum():
        identity = getattr(item, "id", 0)
        if identity == 22:
            continue
        if identity == 32:
            item = replace(item, cooked="x", parts=CookedText("Le brouillard cachait le lac et la rive."))
        if identity == 44:
            item = replace(item, topic_id=topic(2).id, post_number=9)
        if getattr(item, "slug", "") == "régler-des-freins":
            item = replace(item, title="Freins : les dompter")
        if getattr(item, "slug", "") == "quelle-huile-pour-la-chaîne-?":
            item = replace(item, category_id=BISTROT.id)
        items.append(item)
    return [*items, post(50, "Une girafe à bicyclette, c’est rare par ici.", topic_id=4, number=5)]


def first_file(folder, name, pattern):
    (found,) = (folder / "indexes" / name).glob(pattern)
    return found


def test_an_update_gives_what_a_new_index_would(folder, tmp_path_factory):
    save(folder, changed_forum())
    index(folder)
    anew = tmp_path_factory.mktemp("anew")
    save(anew, changed_forum())
    index(anew)
    with open_archive(settings(folder), WORD_MODELS) as updated, open_archive(settings(anew), WORD_MODELS) as built:
        assert updated.agreement() and built.agreement()
        for text in (
            "girafe",
            "brouillard",
            "soir",
            "dompter",
            "cire",
            "huile chaîne",
            '"roue libre"',
            "titre:dompter",
        ):
            by_words = [{h.post_id for h in a.search(text, mode=Mode.BM25).hits} for a in (updated, built)]
            assert by_words[0] == by_words[1], text
            by_meaning = []
            for archive in (updated, built):
                with archive.reading() as generation:
                    found = generation.dense.rank(word_embed([text], "query")[0], limit=20)
                by_meaning.append(dict(zip(found.post_ids, found.scores, strict=True)))
            assert by_meaning[0] == pytest.approx(by_meaning[1], abs=1e-3), text


def test_what_was_built_whole_is_shared_and_never_changed(folder):
    before = generations.read_manifest(settings(folder))
    segment = first_file(folder, before.generation, "whoosh/*.seg")
    held = {p: p.read_bytes() for p in (folder / "indexes" / before.generation).rglob("*") if p.is_file()}
    save(folder, changed_forum())
    index(folder)
    after = generations.read_manifest(settings(folder))
    assert after.generation != before.generation and after.dense_base == before.dense_base == before.generation
    shared = folder / "indexes" / after.generation / "whoosh" / segment.name
    assert shared.stat().st_ino == segment.stat().st_ino
    assert not (folder / "indexes" / after.generation / "chroma").exists()
    assert {path: path.read_bytes() for path in held} == held


def test_only_what_changed_is_encoded_and_the_rest_is_found_meanwhile(folder):
    save(folder, changed_forum())
    counted, seen = [], []

    def embed(texts, role):
        if not counted:  # the words are published, no new vector is
            with open_archive(settings(folder), WORD_MODELS) as archive:
                seen.append({hit.post_id for hit in archive.search("huile", mode=Mode.DENSE, k=20).hits})
                seen.append({hit.post_id for hit in archive.search("girafe", mode=Mode.BM25).hits})
                assert archive.search("huile").notices == ()
        counted.extend(texts)
        return word_embed(texts, role)

    index(folder, Models(embed=embed, embed_name="words-512"))
    # 50, 32 and 44; 11 and 12 under their new title; 21 and 23 in their new category.
    assert len(counted) == 7
    assert seen == [{31, 41, 42, 43}, {50}]


def test_removed_posts_leave_the_results_at_once(folder):
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert 22 in {hit.post_id for hit in archive.search("cire temps sec").hits}
        save(folder, [item for item in forum() if getattr(item, "id", 0) != 22])
        for mode in Mode:
            found = {hit.post_id for hit in archive.search("cire temps huile", mode=mode, k=20).hits}
            assert 23 in found and 22 not in found
        events = list(archive.ask("Que vaut la cire par temps sec ?", answerer="extractive"))
        assert all(item.post_id != 22 for item in events[0].evidence)
        index(folder)
        assert archive.agreement()


def test_later_changes_make_one_second_segment(folder):
    for n in range(3):
        later = [post(34 + m, f"Un tandem numéro {m} passe.", topic_id=4, number=10 + m) for m in range(n + 1)]
        save(folder, [*forum(), *later])
        index(folder)
        manifest = generations.read_manifest(settings(folder))
        assert len(list((folder / "indexes" / manifest.generation / "whoosh").glob("*.seg"))) == 2
        with open_archive(settings(folder), WORD_MODELS) as archive:
            assert archive.agreement() and len(archive.search("tandem", mode=Mode.BM25).hits) == n + 1
    assert manifest.lexical_changes == 3
    save(folder, forum())
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement() and archive.search("tandem", mode=Mode.BM25).hits == ()


def test_many_changes_build_anew(folder, monkeypatch):
    monkeypatch.setattr(publishing, "MOST_CHANGED", 0.1)
    before = generations.read_manifest(settings(folder))
    save(folder, changed_forum())
    index(folder)
    after = generations.read_manifest(settings(folder))
    assert after.lexical_changes == 0 and after.dense_base == after.generation != before.dense_base
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement()


@pytest.mark.parametrize("lost", ["posts.npy", "places.npy", "chroma"])
def test_an_index_that_lost_what_it_was_made_of_is_built_anew(folder, lost):
    path = folder / "indexes" / generations.current(settings(folder)) / lost
    path.unlink() if path.is_file() else path.rename(path.with_name("perdu"))
    save(folder, changed_forum())
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement() and archive.search("girafe").notices == ()


@pytest.mark.parametrize("step", ["publish", "drafting"])
def test_a_kill_before_the_publication_costs_nothing_but_the_work(folder, monkeypatch, step):
    save(folder, changed_forum())
    true, calls = getattr(generations, step), []

    def killed(*arguments):
        calls.append(step)
        if len(calls) == 2:  # the vectors are kept, their generation is not published
            raise KeyboardInterrupt
        return true(*arguments)

    monkeypatch.setattr(generations, step, killed)
    counted = []
    with pytest.raises(KeyboardInterrupt):
        index(folder, counting(counted))
    index(folder, counting(counted))
    assert len(counted) == len(set(counted)) == 7
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement()


def test_words_alone_keep_the_vectors_that_were_served(folder):
    save(folder, changed_forum())
    index(folder, Models())
    manifest = generations.read_manifest(settings(folder))
    assert (manifest.dense_model, manifest.dense_posts) == ("words-512", 4)  # of eleven, seven went or changed
    index(folder)
    with open_archive(settings(folder), WORD_MODELS) as archive:
        assert archive.agreement()


def test_another_encoder_serves_only_once_it_knows_every_post(folder, monkeypatch):
    monkeypatch.setattr(encoding, "WINDOW_BATCHES", 1)
    monkeypatch.setattr(building, "BASE_S", 0)
    served = []

    def embed(texts, role):
        served.append(generations.read_manifest(settings(folder)).dense_model)
        with open_archive(settings(folder), Models(embed=word_embed, embed_name="autre")) as archive:
            assert archive.search("freins").notices == ("encoder_differs",)
        both = Models(embed=word_embed, embed_name="autre", others={"words-512": word_embed})
        with open_archive(settings(folder), both) as archive:  # the encoder of the index served is at hand
            found = archive.search("freins", mode=Mode.DENSE)
            assert found.hits and found.notices == ()
        if len(served) == 4:
            raise Cancelled
        return word_embed(texts, role)

    with pytest.raises(Cancelled):
        index(folder, Models(embed=embed, embed_name="autre"), embed_batch=2)
    assert set(served) == {"words-512"}
    index(folder, Models(embed=word_embed, embed_name="autre"))
    assert generations.read_manifest(settings(folder)).dense_model == "autre"


posts = st.dictionaries(
    st.integers(1, 12), st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join), max_size=12
)


@hypothesis_settings(max_examples=15)
@given(st.lists(posts, min_size=2, max_size=4))
def test_any_sequence_of_updates_holds_what_a_new_index_holds(tmp_path_factory, states):
    root = tmp_path_factory.mktemp("index")

    def indexable(state):
        return [IndexablePost(PostId(i), f"Sujet {text[:3]}", "", (), text, 20) for i, text in sorted(state.items())]

    lexical.build(root / "w", indexable(states[0]), FR)
    for old, new in pairwise(states):
        gone = [i for i in old if new.get(i) != old[i]]
        lexical.update(root / "w", gone, indexable({i: t for i, t in new.items() if old.get(i) != t}), FR)
    held = LexicalIndex(root / "w", FR)
    assert sorted(held.post_ids) == sorted(states[-1])
    for word in WORDS:
        assert set(held.rank([word], limit=50).post_ids) == {i for i, t in states[-1].items() if word in t.split()}
        phrase = f"{word} selle"
        assert held.matching(phrase) == {i for i, t in states[-1].items() if f" {phrase} " in f" {t} "}
    held.close()
