"""The Celery app of beat, and its sign of life: `celery --app playground.beat beat`.

Beat sends tasks by their names, so it has nothing of the playground in memory but the settings.
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

# Without Celery's fix-ups for Django: they would load every model, and with them the engine. The one thing of theirs
# that is needed: `celery` as a program does not have the project's folder where modules are looked for.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
app = Celery("playground", set_as_current=False, fixups=[])
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def _set_up_logging(**_: Any) -> None:
    """What Django does when it is loaded."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)


@beat_init.connect
def keep_sign(sender: Any, **_: Any) -> None:
    """The time of a file beside the schedule is when beat last sent a task.

    `sender` is Celery's beat. Whoever looks after it, as docker-compose.yml does, looks at that file's age.
    """
    sign = Path(f"{sender.schedule_filename}.alive")
    sign.touch()
    # Celery keeps no receiver that nobody else holds.
    after_task_publish.connect(lambda **_: sign.touch(), weak=False)
