"""What classes keep: who teaches which cluster, who follows, what was asked and what was answered.

The rows are the truth; the cursor that runs ahead of `moment` travels over the channel layer.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from playground import limits
from playground.fields import JsonText


class Classroom(models.Model):
    """A class: a teacher shows one cluster of theirs, followers look on. See docs/teaching.md.

    `pointer`: the follower who moves the shared cursor, None for the teacher. `moment` is what the pointer showed last,
    `moved` its number. `version` goes up with whatever else changes.
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

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["teacher"], condition=Q(ended=None), name="one_open_class")]


class Follower(models.Model):
    """Somebody in a class. `seen`: when a page of theirs was connected last, None for nobody there; `barred`: by the
    teacher, for good."""

    classroom = models.ForeignKey(Classroom, models.CASCADE, related_name="followers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=limits.FOLLOWER_NAME)
    joined = models.DateTimeField(auto_now_add=True)
    seen = models.DateTimeField(null=True)
    left = models.BooleanField(default=False)
    barred = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["classroom", "user"], name="follower_user")]


class ClassQuestion(models.Model):
    """A prediction that the class was asked for. `body` is what was asked; `right` is what the engine says."""

    classroom = models.ForeignKey(Classroom, models.CASCADE, related_name="questions")
    number = models.PositiveIntegerField()
    body = JsonText()
    options = JsonText()
    right = JsonText()
    asked = models.DateTimeField(auto_now_add=True)
    closed = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["classroom", "number"], name="class_question_number")]


class ClassAnswer(models.Model):
    """What a follower says; the last word before the question is closed counts."""

    question = models.ForeignKey(ClassQuestion, models.CASCADE, related_name="answers")
    follower = models.ForeignKey(Follower, models.CASCADE, related_name="+")
    chosen = JsonText()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["question", "follower"], name="class_answer_once")]


class Guest(models.Model):
    """A user without an account, made when somebody joined a class."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="guest")
    created = models.DateTimeField(auto_now_add=True)
