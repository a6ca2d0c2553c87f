"""Members who changed their name: their older posts take the name of their newest one."""

from __future__ import annotations

from .archive import ArchiveStore
from .database import transaction


def settle_names(store: ArchiveStore) -> int:
    """Give each member one name, that of their newest post; how many names went.

    A backup names everyone as they are called now; saved pages do so as of the day they were saved.
    """
    rows = store.rows(
        """SELECT u.user_id, u.username, MAX(p.created_at) FROM users u JOIN posts p ON p.username = u.username
           WHERE u.user_id IN (SELECT user_id FROM users WHERE user_id > 0 GROUP BY user_id HAVING COUNT(*) > 1)
           GROUP BY u.user_id, u.username"""
    )
    names: dict[int, list[tuple[int, str]]] = {}
    for user_id, username, newest in rows:
        names.setdefault(user_id, []).append((newest, username))
    old = [(max(of)[1], name) for of in names.values() for _, name in of if name != max(of)[1]]
    if old:
        with transaction(store.db, store.path):
            store.db.executemany("UPDATE posts SET username = ? WHERE username = ?", old)
            store.db.executemany("DELETE FROM users WHERE username = ?", [(name,) for _, name in old])
    return len(old)
