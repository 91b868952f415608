"""The Celery app of beat: `celery --app playground.beat beat`.

It sends tasks by their names, and so reads none of them, nor a model: a third of the time to start, and of the memory.
The time of a file beside its schedule is when it last sent one.
"""

import os
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import after_task_publish, beat_init, setup_logging
from django.conf import settings
from django.utils.log import configure_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")

# Without the fixup that reads all of Django's apps.
app = Celery("playground", set_as_current=False, fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def _log(**_: Any) -> None:
    """As Django has everything else log."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)


@beat_init.connect
def keep_sign(sender: Any, **_: Any) -> None:
    """`sender` is Celery's beat. Whoever looks after it, as docker-compose.yml does, looks at that file's age."""
    sign = Path(f"{sender.schedule_filename}.alive")
    sign.touch()
    # Celery keeps no receiver that nobody else holds.
    after_task_publish.connect(lambda **_: sign.touch(), weak=False)
