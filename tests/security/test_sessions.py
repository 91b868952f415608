"""Sessions in the database: who has one, and for how long."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from playground.accounts.sessions import SessionStore

pytestmark = pytest.mark.django_db


def test_a_session_is_read_by_one_statement() -> None:
    made = SessionStore()
    made["name"] = "Ada"
    made.save()
    read = SessionStore(made.session_key)
    with CaptureQueriesContext(connection) as asked:
        assert read["name"] == "Ada"
    assert len(asked) == 1
    assert read.session_key == made.session_key


def test_a_session_that_has_expired_or_never_was_is_empty_and_gets_another_key() -> None:
    made = SessionStore()
    made["name"] = "Ada"
    made.save()
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    for key in (made.session_key, "0" * 32):
        read = SessionStore(key)
        assert read.get("name") is None
        assert read.session_key is None
