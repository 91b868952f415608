"""The addresses of database and broker, as Django and Celery expect them."""

from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

SQLITE_OPTIONS = {
    # Take the write lock at the start, so that a transaction that reads first can't fail at its first write.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    # WAL allows readers beside one writer; a commit survives a killed process without waiting for the disk.
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000;",
}


def database(url: str, test_folder: str) -> dict[str, Any]:
    """Return Django's DATABASES entry for a `DATABASE_URL`. Raises ImproperlyConfigured for an invalid address."""
    try:
        config: dict[str, Any] = dict(dj_database_url.parse(url))
    except (ValueError, dj_database_url.ParseError, dj_database_url.UnknownSchemeError) as error:
        raise ImproperlyConfigured(f"DATABASE_URL: {error}; use sqlite:///path or postgres://…") from error
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["ENGINE"] = "playground.sqlite"
        config["OPTIONS"] = {**config.get("OPTIONS", {}), **SQLITE_OPTIONS}
        # Tests need a file, too, because threads that write can't share an in-memory database.
        config["TEST"] = {"NAME": f"{test_folder}/test.sqlite3"}
    elif config["ENGINE"] == "django.db.backends.postgresql":
        config["ENGINE"] = "playground.postgresql"
    return config


def celery_url(redis_url: str) -> str:
    """Return a Redis address as Celery writes it: `redis+socket://` for a Unix socket, its database as virtual host."""
    parts = urlsplit(redis_url)
    if parts.scheme in ("redis", "rediss"):
        return redis_url
    if parts.scheme != "unix" or not parts.path:
        raise ImproperlyConfigured(f"REDIS_URL={redis_url}: use redis://host:port/0 or unix:///path/to/socket")
    database_number = parse_qs(parts.query).get("db", ["0"])[0]
    # urllib would omit the slashes of an empty host for a scheme that it doesn't know.
    return f"redis+socket://{parts.path}?{urlencode({'virtual_host': database_number})}"
