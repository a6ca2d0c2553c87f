"""Claims: nobody is granted what another living member holds, and in the end every text is granted to somebody."""

from contextlib import closing

import numpy as np
import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from engine.index.passages import Passage
from engine.store import VectorStore, claims
from engine.values import PostId

MODEL, OTHER = "modele", "autre"
PASSAGES = [Passage(PostId(n), 0, f"texte {n}") for n in range(1, 13)]
KEYS = [passage.key for passage in PASSAGES]
NAMES = ["a", "b", "c"]
NOW = 1000.0


def put(store, keys, **options):
    store.put(MODEL, keys, np.ones((len(keys), 4), np.float32), **options)


@pytest.fixture
def store(tmp_path):
    with closing(VectorStore(tmp_path)) as opened:
        opened.set_passages(PASSAGES)
        for name in NAMES:
            claims.sign(opened, name, until=NOW + 60)
        yield opened


def claim(store, name, keys=KEYS, now=NOW):
    return claims.claim(store, MODEL, keys, name, now=now)


def test_what_a_living_member_claims_is_granted_to_nobody_else(store):
    assert claim(store, "a", KEYS[:8]) == set(KEYS[:8])
    assert claim(store, "b", KEYS[4:]) == set(KEYS[8:])
    assert claims.claim(store, OTHER, KEYS[:2], "b", now=NOW) == set(KEYS[:2])  # of another model
    assert claims.of_others(store, MODEL, "a", now=NOW) == (4, 0)


def test_what_has_a_vector_or_no_passage_is_granted_to_nobody(store):
    put(store, KEYS[:3])
    assert claim(store, "a", [*KEYS[:4], b"gone" * 4]) == {KEYS[3]}


def test_a_member_that_gave_no_sign_or_left_loses_its_claims_to_whoever_asks(store):
    claim(store, "a", KEYS[:2])
    claim(store, "b", KEYS[2:4])
    claims.leave(store, "b")
    assert claims.of_others(store, MODEL, "c", now=NOW) == (2, 2)
    assert claim(store, "c", KEYS[:4]) == set(KEYS[2:4])
    assert claim(store, "c", KEYS[:4], now=NOW + 61) == set(KEYS[:4])


def test_a_vector_of_a_text_that_is_no_longer_claimed_is_not_kept(store):
    claim(store, "a", KEYS[:2])
    assert claim(store, "b", KEYS[:1], now=NOW + 61) == {KEYS[0]}
    put(store, KEYS[:2], holder="a")
    assert store.count(MODEL) == 1 and KEYS[0] in store.missing(MODEL)
    put(store, KEYS[:1], holder="b")
    assert store.missing(MODEL) == set(KEYS[2:])


def test_a_text_that_was_removed_meanwhile_leaves_no_vector(store):
    claim(store, "a", KEYS[:2])
    store.change_passages([1], [], name="ensuite")  # as after an erasure
    put(store, KEYS[:2], holder="a")
    assert store.count(MODEL) == 1
    assert claim(store, "a", KEYS[:1]) == set()


def test_members_that_encode_are_counted_while_they_live(store):
    claim(store, "a", KEYS[:2])
    claim(store, "b", KEYS[2:4])
    assert claims.encoding(store, now=NOW) == 2
    assert claims.encoding(store, now=NOW + 61) == 0


def test_what_is_wanted_outlives_a_kill(tmp_path, store):
    assert claims.encoded(store) is None
    claims.want(store, MODEL)
    with closing(VectorStore(tmp_path)) as later:
        assert claims.encoded(later) == MODEL
        claims.want(later, None)
    assert claims.encoded(store) is None


def test_one_member_publishes_until_it_leaves_or_another_does(store):
    claims.publish_from_now(store, "a")
    assert claims.publisher(store) == claims.Publisher("a", NOW + 60)
    claims.publish_from_now(store, "b")
    claims.give_up(store, "a")  # it was not a's to give
    claims.leave(store, "a")
    assert claims.publisher(store).name == "b"
    claims.leave(store, "b")
    assert claims.publisher(store) is None


class Encoders(RuleBasedStateMachine):
    """Members that claim, encode, give signs, hang and leave, in any order."""

    def __init__(self):
        super().__init__()
        self.store = VectorStore(self.folder)
        self.store.db.execute("DELETE FROM vectors")
        self.store.db.execute("DELETE FROM claims")
        self.store.db.execute("DELETE FROM members")
        self.store.set_passages(PASSAGES)
        self.now, self.until, self.held, self.kept = NOW, {}, {name: set() for name in NAMES}, set()

    def teardown(self):
        # Whoever is left ends it: everything is granted to somebody, once nobody else is alive.
        self.now += 100
        claims.sign(self.store, "last", until=self.now + 60)
        rest = claim(self.store, "last", now=self.now)
        assert rest == set(KEYS) - self.kept
        put(self.store, sorted(rest), holder="last")
        assert not self.store.missing(MODEL)
        self.store.close()

    @rule(name=st.sampled_from(NAMES))
    def sign(self, name):
        self.until[name] = self.now + 60
        claims.sign(self.store, name, until=self.now + 60)

    @precondition(lambda self: any(until > self.now for until in self.until.values()))
    @rule(data=st.data(), keys=st.sets(st.sampled_from(KEYS), min_size=1))
    def ask(self, data, keys):
        name = data.draw(st.sampled_from(sorted(n for n, until in self.until.items() if until > self.now)))
        granted = claim(self.store, name, keys, now=self.now)
        others = {n: held for n, held in self.held.items() if n != name}
        living = set().union(*(held for n, held in others.items() if self.until.get(n, 0) > self.now))
        assert granted == keys - living - self.kept
        for held in others.values():
            held -= granted
        self.held[name] |= granted

    @rule(name=st.sampled_from(NAMES), keys=st.sets(st.sampled_from(KEYS), min_size=1))
    def encode(self, name, keys):
        put(self.store, sorted(keys), holder=name)
        self.kept |= keys & self.held[name]
        self.held[name] -= keys

    @rule(name=st.sampled_from(NAMES))
    def leave(self, name):
        self.until.pop(name, None)
        claims.leave(self.store, name)

    @rule(seconds=st.sampled_from([1, 45, 90]))
    def wait(self, seconds):
        self.now += seconds

    @invariant()
    def disjoint(self):
        rows = self.store.db.execute("SELECT holder, key FROM claims WHERE model = ?", (MODEL,)).fetchall()
        assert len({key for _, key in rows}) == len(rows)
        assert set(rows) == {(name, key) for name, held in self.held.items() for key in held}
        assert set(KEYS) - self.store.missing(MODEL) == self.kept


def test_claims_are_disjoint_and_every_text_is_granted_in_the_end(tmp_path):
    Encoders.folder = tmp_path
    chosen = hypothesis_settings(max_examples=30, stateful_step_count=20, deadline=None)
    run_state_machine_as_test(Encoders, settings=chosen)
