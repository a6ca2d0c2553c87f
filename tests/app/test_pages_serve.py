"""Starting the server: what fails is told before anything is opened."""

import socket
import stat

from app import i18n, serve
from app.settings import AppSettings
from engine import build_settings


def test_a_port_that_is_taken_is_said_and_ends_with_1(tmp_path, capsys):
    i18n.use("fr")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert serve.run(AppSettings(port=port), build_settings(tmp_path / "data")) == 1
    assert f"Le port {port} est déjà" in capsys.readouterr().err
    assert not (tmp_path / "data").exists()


def test_a_data_folder_that_cannot_be_made_is_said(tmp_path, capsys):
    i18n.use("fr")
    (tmp_path / "data").write_text("un fichier")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert serve.run(AppSettings(port=port), build_settings(tmp_path / "data")) == 1
    assert str(tmp_path / "data") in capsys.readouterr().err


def test_the_secret_is_made_once_and_readable_by_its_owner_only(tmp_path):
    made = serve._secret(tmp_path / "secret")
    assert len(made) >= 32
    assert serve._secret(tmp_path / "secret") == made
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600


def test_a_damaged_secret_is_made_again(tmp_path):
    (tmp_path / "secret").write_text("court")
    assert len(serve._secret(tmp_path / "secret")) >= 32
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
