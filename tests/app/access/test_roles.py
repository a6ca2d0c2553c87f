"""Which role an address wants; what nobody thought of is not for all."""

import pytest

from app.access.roles import Role, needed


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("/entrer", Role.NOBODY), ("/sortir", Role.NOBODY), ("/favicon.ico", Role.NOBODY),
        ("/assets/css/archiviste.css", Role.NOBODY), ("/assets/icons/archiviste.svg", Role.NOBODY),
        ("/", Role.READER), ("/demander", Role.READER), ("/t/freins/1/2", Role.READER), ("/nouveau", Role.READER),
        ("/_nicegui_ws/socket.io/", Role.READER), ("/_nicegui/3.18.0/static/vue.js", Role.READER),
        ("/assets/demo/x.json", Role.READER), ("/entrer-ici", Role.READER), ("/uploads/1/a.png", Role.READER),
        ("/archive", Role.MODERATOR), ("/archive/importer", Role.MODERATOR), ("/mesures", Role.MODERATOR),
        ("/reglages", Role.MODERATOR), ("/reglages/acces/phrases", Role.MODERATOR), ("/reglages/", Role.MODERATOR),
        ("/_nicegui/client/abc/upload/4", Role.MODERATOR), ("/_nicegui/auto/static/t/f.csv", Role.MODERATOR),
        ("/reglagesx", Role.READER), ("/archives", Role.READER), ("", Role.READER), ("//reglages", Role.READER),
    ],
)  # fmt: skip
def test_roles_of_addresses(path, role):
    assert needed(path) is role
