"""Classes: teachers and their clusters, followers, questions and answers.

Rows are authoritative. The shared cursor may be ahead of `moment`, because it is sent over the channel layer.
"""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q, QuerySet

from playground import limits
from playground.prepared import select_object, select_row
from playground.text_fields import JsonText


class ClassroomManager(models.Manager["Classroom"]):
    """Manager of classes. A class ends automatically some time after it was created."""

    def open_since(self, oldest: datetime) -> "QuerySet[Classroom]":
        """Return the classes created after `oldest` that have not been ended."""
        return self.filter(ended=None, created__gt=oldest)

    @select_object
    def find_showing(self, *, cluster_id: int, oldest: datetime) -> "QuerySet[Classroom]":
        """Return the open class that shows a cluster, or None."""
        return self.open_since(oldest).filter(cluster_id=cluster_id).order_by("pk")[:1]


class Classroom(models.Model):
    """A class: a teacher shows a cluster to followers. See docs/how-to/teach-a-class.md.

    `pointer` is the follower who moves the shared cursor, or None for the teacher. `moment` is the cursor's last
    position, and `moved` its number. `version` increases with all other changes.
    """

    teacher = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    cluster = models.ForeignKey("playground.Cluster", models.CASCADE, related_name="classes")
    code = models.CharField(max_length=limits.CLASS_CODE, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True)
    locked = models.BooleanField(default=False)
    pointer = models.ForeignKey("playground.Follower", models.SET_NULL, null=True, related_name="+")
    moment = JsonText(null=True)
    moved = models.BigIntegerField(default=0)
    version = models.BigIntegerField(default=0)

    objects = ClassroomManager()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["teacher"], condition=Q(ended=None), name="one_open_class")]


class FollowerManager(models.Manager["Follower"]):
    """Manager with the query that every read of a follower's page runs."""

    @select_row
    def find_in_class(self, *, user_id: int, cluster_id: int, oldest: datetime) -> "QuerySet[Follower, tuple[int]]":
        """Return the id of a user who follows an open class that shows the cluster, or None."""
        classes = Classroom.objects.open_since(oldest).filter(cluster_id=cluster_id)
        return self.filter(user_id=user_id, left=False, classroom__in=classes).values_list("pk")[:1]


class Follower(models.Model):
    """A member of a class. `seen` is the time of the last connection, or None without one. `barred` is permanent."""

    classroom = models.ForeignKey(Classroom, models.CASCADE, related_name="followers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=limits.FOLLOWER_NAME)
    joined = models.DateTimeField(auto_now_add=True)
    seen = models.DateTimeField(null=True)
    left = models.BooleanField(default=False)
    barred = models.BooleanField(default=False)

    objects = FollowerManager()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["classroom", "user"], name="follower_user")]


class ClassQuestionManager(models.Manager["ClassQuestion"]):
    """Manager with the query that every read of a follower's page runs."""

    @select_object
    def find_last(self, *, classroom_id: int) -> "QuerySet[ClassQuestion]":
        """Return the last question of a class, or None."""
        return self.filter(classroom_id=classroom_id).order_by("-number")[:1]


class ClassQuestion(models.Model):
    """A prediction that the class is asked for. `body` is the question, and `right` the engine's answer."""

    classroom = models.ForeignKey(Classroom, models.CASCADE, related_name="questions")
    number = models.PositiveIntegerField()
    body = JsonText()
    options = JsonText()
    right = JsonText()
    asked = models.DateTimeField(auto_now_add=True)
    closed = models.DateTimeField(null=True)

    objects = ClassQuestionManager()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["classroom", "number"], name="class_question_number")]


class ClassAnswer(models.Model):
    """A follower's answer. The last one before the question is closed counts."""

    question = models.ForeignKey(ClassQuestion, models.CASCADE, related_name="answers")
    follower = models.ForeignKey(Follower, models.CASCADE, related_name="+")
    chosen = JsonText()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["question", "follower"], name="class_answer_once")]


class GuestManager(models.Manager["Guest"]):
    """Manager of guests. They are deleted some minutes after their class has ended."""

    def ended(self, long_ago: datetime, oldest_class: datetime) -> "QuerySet[Guest]":
        """Return the guests who are in no open class, and those created before `long_ago`."""
        following = Follower.objects.filter(classroom__in=Classroom.objects.open_since(oldest_class).values("pk"))
        return self.filter(Q(created__lt=long_ago) | ~Q(user_id__in=following.values("user_id")))

    @select_row
    def find_ended(self, *, user_id: int, long_ago: datetime, oldest_class: datetime) -> "QuerySet[Guest, tuple[int]]":
        """Return the id of a guest of `ended`, or None. Every request with a token runs this query."""
        return self.ended(long_ago, oldest_class).filter(user_id=user_id).values_list("pk")[:1]


class Guest(models.Model):
    """A user without an account, created when they joined a class."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="guest")
    created = models.DateTimeField(auto_now_add=True)

    objects = GuestManager()
