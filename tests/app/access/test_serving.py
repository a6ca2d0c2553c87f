"""Opening to the network: refused until it is ready, told in French, with what to do."""

import pytest

from app import i18n, serve
from app.access.network import addresses, lan_addresses, picture
from app.settings import AppSettings, load
from engine import SettingsError, build_settings
from tests.browser.server import free_port


def start(tmp_path, capsys, **chosen):
    """The status of a server that can't start, and what it said."""
    i18n.use("en")
    try:
        status = serve.run(AppSettings(port=free_port(), **chosen), build_settings(tmp_path / "data"), show=False)
    finally:
        i18n.use("fr")
    return status, capsys.readouterr().err


@pytest.mark.parametrize(
    "chosen", [{"lan": True, "host": "0.0.0.0"}, {"hosts": "archive.exemple"}, {"trusted_proxies": "127.0.0.1"}]
)
def test_without_passphrases_nothing_is_opened(tmp_path, capsys, chosen):
    status, said = start(tmp_path, capsys, **chosen)
    assert status == 1
    assert "archiviste access set reader" in said and "archiviste access set moderator" in said


@pytest.mark.parametrize(
    ("files", "expected"),
    [({"certificate": "c.pem"}, "two files"), ({"key": "k.pem"}, "two files"),
     ({"certificate": "c.pem", "key": "k.pem"}, "c.pem")],
)  # fmt: skip
def test_a_certificate_that_cannot_be_used_is_said(tmp_path, capsys, files, expected):
    status, said = start(tmp_path, capsys, **{name: tmp_path / file for name, file in files.items()})
    assert status == 1 and expected in said


@pytest.mark.parametrize(("text", "expected"), [(None, "openssl rand -hex 32"), ("court", "too short")])
def test_without_a_secret_that_can_be_used_nothing_is_opened(tmp_path, capsys, text, expected):
    if text:
        (tmp_path / "secret").write_text(text)
    status, said = start(tmp_path, capsys, shared_secret=tmp_path / "secret")
    assert status == 1 and expected in said and not list((tmp_path / "data").glob("indexes/*"))


def test_lan_listens_on_every_address_and_nothing_else_does(tmp_path):
    assert load({}, data=tmp_path, app={"lan": True}).app.host == "0.0.0.0"
    assert load({}, data=tmp_path, app={"lan": True, "host": "192.168.1.20"}).app.host == "192.168.1.20"
    with pytest.raises(SettingsError):
        load({}, data=tmp_path, app={"host": "0.0.0.0"})


@pytest.mark.parametrize(
    ("key", "value"),
    [("hosts", "http://archive.exemple"), ("hosts", "a b"), ("hosts", "archive.exemple:8080"), ("hosts", "*"),
     ("trusted_proxies", "nginx"), ("trusted_proxies", "10.0.0.0/99")],
)  # fmt: skip
def test_names_that_are_none_are_refused(tmp_path, key, value):
    with pytest.raises(SettingsError) as refused:
        load({}, data=tmp_path, app={key: value})
    assert refused.value.details["key"] == key


def test_the_addresses_to_give():
    assert addresses(AppSettings(port=8081)) == ("http://127.0.0.1:8081",)
    named = addresses(AppSettings(hosts="archive.exemple", trusted_proxies="127.0.0.1"))
    assert named[0] == "https://archive.exemple"
    everywhere = addresses(AppSettings(lan=True, host="0.0.0.0", port=8081))
    assert everywhere == tuple(f"http://{one}:8081" for one in lan_addresses() or ("127.0.0.1",))
    assert not any(one.startswith("127.") for one in lan_addresses())


def test_the_picture_is_drawn_here():
    drawn = picture("http://192.168.1.20:8080")
    assert drawn.startswith("data:image/svg+xml") and "http:" not in drawn.partition(",")[2].replace(
        "http://www.w3.org", ""
    )
