"""A sign of life of beat: the time of a file beside its schedule is when it last sent a task."""

from pathlib import Path
from typing import Any

from celery.signals import after_task_publish, beat_init


@beat_init.connect
def keep_sign(sender: Any, **_: Any) -> None:
    """`sender` is Celery's beat. Whoever looks after it, as docker-compose.yml does, looks at that file's age."""
    sign = Path(f"{sender.schedule_filename}.alive")
    sign.touch()
    # Celery keeps no receiver that nobody else holds.
    after_task_publish.connect(lambda **_: sign.touch(), weak=False)
