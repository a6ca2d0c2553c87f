"""Defaults < settings file < environment < command line; mistakes are named."""

from dataclasses import fields
from pathlib import Path

import pytest

from app import settings
from app.settings import AppSettings, load
from engine import SettingsError


def test_defaults_stand_when_nothing_is_chosen(tmp_path):
    choices = load({}, data=tmp_path)
    assert choices.app == AppSettings()
    assert choices.engine.data == tmp_path


def test_each_layer_covers_the_one_below(tmp_path):
    (tmp_path / "settings.toml").write_text(
        '[app]\nport = 8001\nhost = "localhost"\nlog_level = "info"\n[engine]\nrrf_k = 10\ncandidates = 50\n'
    )
    environ = {"ARCHIVISTE_PORT": "8002", "ARCHIVISTE_HOST": "::1", "ARCHIVISTE_RRF_K": "20"}
    choices = load(environ, data=tmp_path, app={"port": 8003})
    assert (choices.app.log_level, choices.app.host, choices.app.port) == ("info", "::1", 8003)
    assert (choices.engine.candidates, choices.engine.rrf_k) == (50, 20)


def test_the_data_folder_comes_from_the_command_line_then_the_environment_then_the_user(tmp_path):
    environ = {"ARCHIVISTE_DATA": str(tmp_path / "env")}
    assert load(environ, data=tmp_path / "cli").engine.data == tmp_path / "cli"
    assert load(environ, default_data=tmp_path / "d").engine.data == tmp_path / "env"
    assert load({}, default_data=tmp_path / "d").engine.data == tmp_path / "d"
    assert settings.user_data().name == "Archiviste"


def test_an_engine_elsewhere_keeps_what_replicas_may_still_read(tmp_path):
    snapshots = {"ARCHIVISTE_SNAPSHOTS": "/srv/snapshots"}
    assert load({}, data=tmp_path).engine.index_kept_s == 0
    assert load(snapshots, data=tmp_path).engine.index_kept_s == settings.REPLICAS_S
    assert load({**snapshots, "ARCHIVISTE_INDEX_KEPT_S": "20"}, data=tmp_path).engine.index_kept_s == 20


def test_a_relative_data_folder_becomes_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load({}, data=Path("données")).engine.data == tmp_path / "données"


def test_short_names_of_the_models_work(tmp_path):
    choices = load({"ARCHIVISTE_LLM": "/m/a.gguf", "ARCHIVISTE_BGE": "/m/bge"}, data=tmp_path)
    assert (choices.engine.llm_model, choices.engine.bge_model) == (Path("/m/a.gguf"), Path("/m/bge"))


def test_the_two_languages_have_two_variables(tmp_path):
    choices = load({"ARCHIVISTE_LANG": "en", "ARCHIVISTE_LANGUAGE": "fr"}, data=tmp_path)
    assert (choices.app.language, choices.engine.language) == ("en", "fr")


@pytest.mark.parametrize("field", [f.name for f in fields(AppSettings) if f.name != "language"])
def test_every_app_setting_has_its_variable(tmp_path, field):
    value = {
        "port": "9000", "native": "1", "host": "::1", "log_level": "debug", "update_every_hours": "24",
        "update_source": "/sauvegardes", "queue_url": "redis://127.0.0.1:6379/0", "question_log": "non",
        "sync_every_hours": "24", "sync_url": "https://forum.exemple",
        "question_days": "30", "lan": "oui", "hosts": "archive.exemple, 192.168.1.20", "trusted_proxies": "10.0.0.0/8",
        "certificate": "/tls/c.pem", "key": "/tls/k.pem", "reader_session_days": "7", "moderator_session_hours": "1",
        "snapshots": "/srv/snapshots", "replica_of": "https://archive.exemple",
        "shared_secret": "/etc/archiviste/secret", "metrics_from": "10.0.0.5, 192.168.0.0/16", "drain_s": "10",
    }[field]  # fmt: skip
    assert getattr(load({f"ARCHIVISTE_{field.upper()}": value}, data=tmp_path).app, field) != getattr(
        AppSettings(), field
    )


def test_an_empty_variable_is_not_set(tmp_path):
    assert load({"ARCHIVISTE_PORT": "", "ARCHIVISTE_DATA": ""}, data=tmp_path).app.port == 8080


@pytest.mark.parametrize(
    ("environ", "key"),
    [
        ({"ARCHIVISTE_PROT": "1"}, "ARCHIVISTE_PROT"),
        ({"ARCHIVISTE_PORT": "abc"}, "port"),
        ({"ARCHIVISTE_PORT": "0"}, "port"),
        ({"ARCHIVISTE_PORT": "70000"}, "port"),
        ({"ARCHIVISTE_NATIVE": "peut-être"}, "native"),
        ({"ARCHIVISTE_UPDATE_EVERY_HOURS": "-1"}, "update_every_hours"),
        ({"ARCHIVISTE_UPDATE_EVERY_HOURS": "9000"}, "update_every_hours"),
        ({"ARCHIVISTE_QUEUE_URL": "amqp://localhost"}, "queue_url"),
        ({"ARCHIVISTE_SYNC_EVERY_HOURS": "9000"}, "sync_every_hours"),
        ({"ARCHIVISTE_SYNC_URL": "http://forum.exemple"}, "sync_url"),
        ({"ARCHIVISTE_HOST": "0.0.0.0"}, "host"),
        ({"ARCHIVISTE_HOST": "192.168.1.20"}, "host"),
        ({"ARCHIVISTE_LANG": "de"}, "language"),
        ({"ARCHIVISTE_HOST": "a b"}, "host"),
        ({"ARCHIVISTE_LOG_LEVEL": "loud"}, "log_level"),
        ({"ARCHIVISTE_RRF_K": "0"}, "rrf_k"),
    ],
)
def test_a_mistake_in_the_environment_is_named(tmp_path, environ, key):
    with pytest.raises(SettingsError) as raised:
        load(environ, data=tmp_path)
    assert raised.value.details["key"] == key


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[app]\nport = true\n", "port"),
        ("[app]\nprot = 1\n", "prot"),
        ("[engine]\nzz = 1\n", "zz"),
        ("[engine]\ndata = '/x'\n", "data"),
        ("[other]\nport = 1\n", "other"),
        ("port = 1\n", "port"),
        ("[app\n", "settings.toml"),
        ("[app]\nhost = 3\n", "host"),
        ("[app]\nlanguage = ['fr']\n", "language"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path, text, key):
    (tmp_path / "settings.toml").write_text(text)
    with pytest.raises(SettingsError) as raised:
        load({}, data=tmp_path)
    assert raised.value.details["key"] == key


def test_a_file_that_is_not_text_is_named(tmp_path):
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError):
        load({}, data=tmp_path)


def test_a_byte_order_mark_is_accepted(tmp_path):
    (tmp_path / "settings.toml").write_text("\ufeff[app]\nport = 8001\n", "utf-8")
    assert load({}, data=tmp_path).app.port == 8001


def test_the_forum_to_follow_is_kept_as_its_address_and_never_with_a_secret(tmp_path):
    pasted = "https://forum.exemple/t/des-freins/12"
    assert load({"ARCHIVISTE_SYNC_URL": pasted}, data=tmp_path).app.sync_url == "https://forum.exemple"
    with pytest.raises(SettingsError) as raised:
        load({"ARCHIVISTE_SYNC_URL": "https://alice:zzsecret@forum.exemple"}, data=tmp_path)
    assert "zzsecret" not in str(raised.value)
