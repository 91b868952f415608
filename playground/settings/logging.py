"""Django's LOGGING: one handler to standard error, for web, workers, beat and their servers."""

from typing import Any

FORMATS = ("line", "json")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def logging_config(form: str, level: str) -> dict[str, Any]:
    """Return the configuration; `form` is one of FORMATS, `level` the level of the playground's loggers."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"subject": {"()": "playground.logs.Subject"}},
        "formatters": {
            "line": {"format": "%(asctime)s %(levelname)s %(name)s%(about)s: %(message)s"},
            "json": {"()": "playground.logs.JsonFormatter"},
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": form, "filters": ["subject"]}},
        "loggers": {
            "playground": {"handlers": ["console"], "level": level, "propagate": False},
            # uvicorn's own handlers would write another format.
            **{name: {"handlers": [], "propagate": True} for name in ("uvicorn", "uvicorn.error", "uvicorn.access")},
            # Clients get their own errors as responses, so the log doesn't repeat them.
            "django.request": {"level": "ERROR"},
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            # Messages of failed CEL expressions contain the objects of users.
            "cel": {"level": "CRITICAL"},
        },
        "root": {"handlers": ["console"], "level": "WARNING"},
    }
