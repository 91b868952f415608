"""The Celery app of workers: `celery --app playground worker`. Beat has its own in `beat.py`."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
# The migrate command runs Django's checks. Here they would load every view.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("playground")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["playground"])


@setup_logging.connect
def _leave_logging(**_: Any) -> None:
    """Do nothing: a receiver of this signal stops Celery from replacing Django's logging configuration."""
