"""The operators of a search, explained; a click writes one in the box."""

from __future__ import annotations

from nicegui import ui

from ..i18n import N_
from ..i18n import gettext as _
from .markup import box, text

# (example, what a click writes, meaning)
OPERATORS = (
    ("« vis de pédale »", "« »", N_("these words next to each other")),
    ("-rustine", "-", N_("without this word")),
    ("auteur:alice", "auteur:", N_("written by this member")),
    ("catégorie:atelier", "catégorie:", N_("in this category")),
    ("étiquette:freins", "étiquette:", N_("in topics with this tag")),
    ("titre:pneus", "titre:", N_("this word in the title of the topic")),
    ("après:2015-03 avant:2020", "après:", N_("between two dates")),
)
# Between guillemets the pointer goes inside them; nothing of the archive enters the script.
_WRITE = """(event) => {{
    const button = event.target.closest('[data-write]');
    if (!button) return;
    const field = getElement({field});
    const written = button.dataset.write;
    field.value = (field.value.trim() + ' ' + written).trim();
    field.focus();
    const at = field.value.length - (written.endsWith('»') ? 1 : 0);
    field.setSelectionRange(at, at);
}}"""


def operators(field: ui.element, *, opened: bool) -> None:
    """What each operator means, folded unless it is `opened`; a click writes it in the field."""
    attributes = {"open": True} if opened else {}
    with box("details", "operators", **attributes):
        text(_("Searching more precisely"), "summary")
        with box("dl") as table:
            for example, written, meaning in OPERATORS:
                with box("dt"):
                    label = _("Write {operator} in the search box").format(operator=written)
                    with box("button", "operator", type="button", data_write=written, title=label):
                        text(example, "code")
                text(_(meaning), "dd")
        table.on("click", js_handler=_WRITE.format(field=field.id))
