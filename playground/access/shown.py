"""Which clusters open classes show, to whom, and what they hide."""

from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from playground import limits
from playground.models import ClassAnswer, ClassQuestion, Classroom, Follower

# The cycle from which on nothing is told, and the users who are told all the same: the teacher, and who has answered.
Hidden = tuple[int, frozenset[int]]


def open_classes() -> QuerySet[Classroom]:
    """Those that were neither ended nor forgotten."""
    return Classroom.objects.open_since(oldest_open())


def oldest_open() -> datetime:
    """Return when a class was created that ends by itself now."""
    return timezone.now() - timedelta(hours=limits.CLASS_HOURS)


def watching(cluster_id: int) -> set[int]:
    """The users who may look at a cluster because they follow a class that shows it."""
    shown = open_classes().filter(cluster_id=cluster_id).values("pk")
    return set(Follower.objects.filter(classroom__in=shown, left=False).values_list("user_id", flat=True))


def shows(cluster_id: int, user_id: int) -> bool:
    """Whether this user follows an open class that shows the cluster."""
    return Follower.objects.find_in_class(user_id=user_id, cluster_id=cluster_id, oldest=oldest_open()) is not None


def showing(cluster_id: int) -> Classroom | None:
    """The open class that shows the cluster."""
    return Classroom.objects.find_showing(cluster_id=cluster_id, oldest=oldest_open())


def hides(classroom: Classroom) -> Hidden | None:
    """Return what the open question hides, or None if no question is open."""
    question = last_question(classroom)
    if question is None or question.closed is not None:
        return None
    answered = ClassAnswer.objects.filter(question=question).values_list("follower__user", flat=True)
    return question.body["hides"], frozenset({classroom.teacher_id, *answered})


def last_question(classroom: Classroom) -> ClassQuestion | None:
    return ClassQuestion.objects.find_last(classroom_id=classroom.pk)
