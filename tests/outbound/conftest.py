"""The fixtures of `tests.web`, for the tests that call extenders from a cluster."""

from tests.web import api, web

__all__ = ["api", "web"]
