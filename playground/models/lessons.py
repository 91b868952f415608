"""Lesson runs, and the lessons that users have completed."""

from django.conf import settings
from django.db import models

from playground.models.clusters import Cluster
from playground.text_fields import JsonText


class LessonRun(models.Model):
    """A run of a lesson in the cluster that was created for it. `checks` is the progress by check id."""

    cluster = models.OneToOneField(Cluster, models.CASCADE, related_name="lesson_run")
    lesson = models.CharField(max_length=100)
    checks = JsonText(default=dict)
    started = models.DateTimeField(auto_now_add=True)


class SolvedLesson(models.Model):
    """The first completion of a lesson by a user, which stays after its cluster is deleted.

    `right` of the `asked` predictions were right at the first try, and `tasks` were done.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="solved_lessons")
    lesson = models.CharField(max_length=100)
    solved = models.DateTimeField(auto_now_add=True)
    asked = models.PositiveIntegerField()
    right = models.PositiveIntegerField()
    tasks = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "lesson"], name="one_solved_lesson")]
