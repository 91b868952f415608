"""Django's sessions in the database, read by a statement that is put together once: every request reads one."""

from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.utils import timezone

from playground.prepared import Select

_SESSION = Select(lambda key, now: Session.objects.filter(session_key=key, expire_date__gt=now), str, datetime)


class SessionStore(db.SessionStore):
    def _get_session_from_db(self) -> Session | None:
        found = _SESSION.object(self.session_key, timezone.now())
        if found is None:
            self._session_key = None
        return found
