"""The Celery app of beat, which also touches a file as a heartbeat: `celery --app playground.beat beat`.

Beat sends tasks by their names, so it imports only the settings.
"""

import os
import sys
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import after_task_publish, beat_init, setup_logging
from django.conf import settings
from django.utils.log import configure_logging

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")

# Celery's fix-ups for Django would import every model and the engine. Of their work only this is needed: the program
# `celery` does not have the project's folder in its module path.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
app = Celery("playground", set_as_current=False, fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def _set_up_logging(**_: Any) -> None:
    """Set up logging as `django.setup()` does."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)


@beat_init.connect
def keep_sign(sender: Any, **_: Any) -> None:
    """Touch a file beside the schedule whenever beat sends a task. `sender` is Celery's beat service.

    A health check, such as that in docker-compose.yml, reads the file's age.
    """
    sign = Path(f"{sender.schedule_filename}.alive")
    sign.touch()
    # Celery holds receivers by weak references otherwise.
    after_task_publish.connect(lambda **_: sign.touch(), weak=False)
