"""Django's LOGGING: one handler, to standard error, for everything that runs: web, worker, beat and their servers."""

from typing import Any

FORMATS = ("line", "json")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def logging_config(form: str, level: str) -> dict[str, Any]:
    """`form` is one of FORMATS; `level` is that of the playground's own loggers."""
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
            # uvicorn brings handlers of its own along, which would write another form.
            **{name: {"handlers": [], "propagate": True} for name in ("uvicorn", "uvicorn.error", "uvicorn.access")},
            # What others ask for wrongly is told to them, and is nothing to fill our log with.
            "django.request": {"level": "ERROR"},
            "django.security.DisallowedHost": {"level": "CRITICAL"},
            # Nor are expressions in CEL that fail: their messages contain the objects of users.
            "cel": {"level": "CRITICAL"},
        },
        "root": {"handlers": ["console"], "level": "WARNING"},
    }
