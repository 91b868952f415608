"""The Celery app of the questions: `celery --app playground.questions worker --concurrency 1`.

An app of its own, with its own queue: a drain may take a worker for hours, and a question must not wait for it. One
process is best: it then has the moments in memory that were asked about last.
"""

import os

from celery import Celery
from django.conf import settings

from playground.engine.heartbeat import QUESTIONS
from playground.limits import ANSWER_SECONDS

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "playground.settings")
# As in `playground/celery.py`.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery(QUESTIONS, set_as_current=False)
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_default_queue=f"{settings.NAMESPACE}-questions",
    # Whoever asks can ask again; a question that kills its worker must not come back by itself.
    task_acks_late=False,
    task_reject_on_worker_lost=False,
    task_soft_time_limit=ANSWER_SECONDS,
    task_time_limit=ANSWER_SECONDS + 5,
    beat_schedule={},
)
app.autodiscover_tasks(["playground.answering"])
