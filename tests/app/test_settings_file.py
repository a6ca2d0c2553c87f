"""Changing one value of settings.toml, and nothing else of it."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import settings_file
from app.settings import FILE
from engine import SettingsError, StoreError

KEPT = """# mes réglages
[engine]
candidates = 50  # assez pour nous
evidence_max = 4

[app]
port = 9000
"""


def test_comments_and_order_stay():
    assert settings_file.changed(KEPT, "engine.candidates", "80") == KEPT.replace("= 50", "= 80")
    assert settings_file.changed(KEPT, "app.port", "") == KEPT.replace("port = 9000\n", "")


@given(st.sampled_from(settings_file.NAMES), st.text(st.characters(codec="utf-8"), max_size=20))
def test_only_that_value_changes(name, said):
    section, key = name.split(".")
    for before in (KEPT, ""):
        after = tomllib.loads(settings_file.changed(before, name, said))
        expected = tomllib.loads(before)
        assert after.get(section, {}).pop(key, None) is None or said != ""
        expected.get(section, {}).pop(key, None)
        assert {s: v for s, v in after.items() if v} == {s: v for s, v in expected.items() if v}


def test_a_saved_value_is_what_the_next_start_reads(tmp_path):
    settings_file.save(tmp_path, "engine.rerank_deadline_s", "2,5")
    settings_file.save(tmp_path, "app.lan", "on")
    settings_file.save(tmp_path, "engine.llm_url", "http://192.168.1.20:8000/v1")
    filed = settings_file.filed(tmp_path)
    assert (filed.engine.rerank_deadline_s, filed.app.lan) == (2.5, True)
    settings_file.save(tmp_path, "engine.rerank_deadline_s", "")
    assert settings_file.filed(tmp_path).engine.rerank_deadline_s == settings_file.default("engine.rerank_deadline_s")
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    ("name", "said"),
    [("app.port", "99999"), ("app.port", "beaucoup"), ("engine.gate", "peut-être"), ("engine.llm_url", "ftp://x"),
     ("engine.index_url", "moteur"), ("engine.window_overlap_chars", "900"), ("app.native", "un peu")],
)  # fmt: skip
def test_a_value_that_cannot_be_used_changes_nothing(tmp_path, name, said):
    (tmp_path / FILE).write_text(KEPT, "utf-8")
    with pytest.raises(SettingsError):
        settings_file.save(tmp_path, name, said)
    assert (tmp_path / FILE).read_text("utf-8") == KEPT


def test_a_file_that_cannot_be_read_is_left_alone(tmp_path):
    (tmp_path / FILE).write_text("[app\n", "utf-8")
    with pytest.raises(SettingsError):
        settings_file.save(tmp_path, "app.port", "9000")
    with pytest.raises(StoreError):
        settings_file.save(tmp_path / "absent", "app.port", "9000")
    assert (tmp_path / FILE).read_text("utf-8") == "[app\n"


def test_every_value_can_be_typed_again(tmp_path):
    filed = settings_file.filed(tmp_path)
    for name in settings_file.NAMES:
        found = settings_file.value(filed, name)
        assert found == settings_file.default(name)
        settings_file.save(tmp_path, name, settings_file.typed(found))
        assert settings_file.value(settings_file.filed(tmp_path), name) == found
        assert not settings_file.options(name) or settings_file.typed(found) in settings_file.options(name)
