"""Fixtures of `tests.web` and `tests.share_links`, as for the API's tests."""

from tests.web import api, exposed, make_user, questions, small, web

__all__ = ["api", "exposed", "make_user", "questions", "small", "web"]
