"""What a replica says of its copy: to moderators its age and why no newer one came, to everybody that it waits."""

from __future__ import annotations

from datetime import UTC, datetime

from . import i18n
from .i18n import gettext as _
from .messages import message
from .replica import Replica


def notice(replica: Replica, now: datetime | None = None) -> str:
    """Why the copy is not the newest, and how old it is, for moderators; "" while all is well."""
    if replica.trouble is None:
        return ""
    said = [message(replica.trouble)]
    if replica.card is not None:
        made = datetime.fromisoformat(replica.card.made_at)
        said.append(
            _("This server goes on with its copy of {date} ({age} old) and looks again by itself.").format(
                date=i18n.date_long(made), age=i18n.duration(((now or datetime.now(UTC)) - made).total_seconds())
            )
        )
    return " ".join(said)


def waiting(replica: Replica, *, why: bool) -> str:
    """What somebody reads who comes before the first copy, with the reason for moderators."""
    said = _(
        "This server reads a copy of the archive, and has none yet: it is being fetched. This page comes by itself."
    )
    return f"{said} {message(replica.trouble)}" if why and replica.trouble is not None else said


def read_only(replica: Replica) -> tuple[str, ...]:
    """What a moderator reads in the place of a page that changes something."""
    said = _(
        "This server reads a copy of the archive: nothing can be imported, changed, measured or erased here. Searching,"
        " reading and asking work as on the main server."
    )
    primary = replica.card.primary if replica.card is not None else ""
    where = primary or (replica.source if replica.source.startswith(("https://", "http://")) else "")
    if where:
        return (said, _("The archive is looked after at {address}.").format(address=where))
    return (
        said,
        _("The archive is looked after on the main server, whose snapshots are in {folder}.").format(
            folder=replica.source
        ),
    )
