"""The fixtures of `tests.web`; they import models, so only tests of the web side may load them."""

from tests.web import api, exposed, make_user, small, web

__all__ = ["api", "exposed", "make_user", "small", "web"]
