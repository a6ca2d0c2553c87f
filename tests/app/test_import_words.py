"""What an import says of images and files: what is kept, and why the others are not."""

from app import i18n, printed
from app.i18n import gettext as _
from engine import UploadsReport


def said(**values):
    report = {"fetched": 2, "held": 1200, "held_bytes": 5_000_000, "absent": 0, "no_room": 0, "finished": True} | values
    return list(printed.uploads_lines(UploadsReport(**report)))


def test_only_what_happened_is_told():
    i18n.use("fr")
    kept = _("Images and files kept: {count} ({size})").format(count=i18n.number(1200), size=i18n.size(5_000_000))
    assert said() == [kept]
    assert said(absent=3)[1:] == [_("Images and files that the source does not hold: {count}").format(count="3")]
    assert said(no_room=4)[1:] == [_("Images and files without room (“import_uploads_mb”): {count}").format(count="4")]
    assert said(finished=False)[1:] == [
        _("The source was cut before its last file: import it again once it is whole.")
    ]  # fmt: skip
