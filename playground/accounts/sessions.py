"""Django's database sessions. Every request reads one, so the query is compiled once."""

from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from playground.prepared import select_object


@select_object
def _find_session(*, key: str, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)


class SessionStore(db.SessionStore):
    """A session store that reads sessions with a prepared query."""

    def _get_session_from_db(self) -> Session | None:
        session = _find_session(key=self.session_key, now=timezone.now()) if self.session_key else None
        if session is None:
            self._session_key = None
        return session
