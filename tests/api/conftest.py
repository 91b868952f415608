"""Fixtures of `tests.web` and `tests.share_links`, which import models: only tests of the web side may load them."""

from tests.share_links import opened, owner, played
from tests.web import api, exposed, make_user, questions, small, web

__all__ = ["api", "exposed", "make_user", "opened", "owner", "played", "questions", "small", "web"]
