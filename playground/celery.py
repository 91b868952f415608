"""The Celery app of those who apply commands: `celery --app playground worker`. Beat has one of its own: `beat.py`."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
# Who prepares the database checks the project; here it would load every view, for a second and tens of megabytes.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("playground")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["playground"])


@setup_logging.connect
def _leave_logging(**_: Any) -> None:
    """Django's settings say how to log, here as everywhere; with a receiver of this signal Celery keeps out of it."""
