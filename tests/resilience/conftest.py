"""The fixtures of `tests.web`; they import models, so that only tests of the web side may load them."""

import math

import pytest

from playground.engine import worker_session
from tests.web import api, exposed, make_user, small, web

__all__ = ["api", "exposed", "make_user", "small", "web"]


@pytest.fixture
def checkpoint_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_session, "CHECKPOINT_RECORDS", 1)
    monkeypatch.setattr(worker_session, "CHECKPOINT_SHARE", 1000.0)


@pytest.fixture
def checkpoint_never(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a busy machine takes long for little."""
    monkeypatch.setattr(worker_session, "CHECKPOINT_RECORDS", math.inf)
    monkeypatch.setattr(worker_session, "CHECKPOINT_SECONDS", math.inf)


@pytest.fixture
def commit_every_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_session, "CHUNK_RECORDS", 1)
