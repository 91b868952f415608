"""The addresses of database and broker, in the words of those who use them."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SQLITE_OPTIONS = {
    # The write lock is taken when a transaction begins, so that reading first and writing then cannot fail half-way.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    # Readers and one writer at a time; a commit survives a killed process without waiting for the disk.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000;",
}


def database(url: str, test_folder: str) -> dict[str, Any]:
    """Django's DATABASES entry for a `DATABASE_URL`. Raises ImproperlyConfigured for an address it cannot read."""
    try:
        config: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, dj_database_url.ParseError, dj_database_url.UnknownSchemeError) as error:
        raise ImproperlyConfigured(f"DATABASE_URL: {error}; use sqlite:///path or postgres://…") from error
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["ENGINE"] = "playground.sqlite"
        config["OPTIONS"] = {**config.get("OPTIONS", {}), **SQLITE_OPTIONS}
        # Tests need a file too: an in-memory database cannot be shared by threads that write.
        config["TEST"] = {"NAME": f"{test_folder}/test.sqlite3"}
    elif config["ENGINE"] == "django.db.backends.postgresql":
        config["ENGINE"] = "playground.postgresql"
    return config


def celery_url(redis_url: str) -> str:
    """Celery's name for a Redis address: `redis+socket://` for a unix socket, with the database as virtual host."""
    parts = urlsplit(redis_url)
    if parts.scheme in ("redis", "rediss"):
        return redis_url
    if parts.scheme != "unix" or not parts.path:
        raise ImproperlyConfigured(f"REDIS_URL={redis_url}: use redis://host:port/0 or unix:///path/to/socket")
    database_number = parse_qs(parts.query).get("db", ["0"])[0]
    # Written out: urllib leaves the empty host's slashes out for a scheme it does not know.
    return f"redis+socket://{parts.path}?{urlencode({'virtual_host': database_number})}"
