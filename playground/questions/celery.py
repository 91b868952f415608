"""The Celery app of the questions: `celery --app playground.questions worker --concurrency 1`.

The app has a queue of its own, because a run may occupy a worker for hours. One process is best, because it has the
simulations of the last questions in memory.
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
    # A question that kills its worker must not be delivered again. The user can repeat it.
    task_acks_late=False,
    task_reject_on_worker_lost=False,
    task_soft_time_limit=ANSWER_SECONDS,
    task_time_limit=ANSWER_SECONDS + 5,
    beat_schedule={},
)
app.autodiscover_tasks(["playground.question_worker"])
