"""The generated forums, where they are beside this checkout."""

from tests.engine.discourse.conftest import shared

__all__ = ["shared"]
