"""The Celery app: `celery --app playground worker`, `celery --app playground beat`."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")

app = Celery("playground")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["playground"])
# Connected when it is imported, and only beat sends that signal.
app.conf.imports = ("playground.beat",)


@setup_logging.connect
def _leave_logging(**_: Any) -> None:
    """Django's settings say how to log, here as everywhere; with a receiver of this signal Celery keeps out of it."""
