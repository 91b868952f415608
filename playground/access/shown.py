"""Which clusters open classes show, to whom, and what they hide."""

from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from playground import limits
from playground.models import ClassAnswer, ClassQuestion, Classroom, Follower
from playground.prepared import Select

# The cycle from which on nothing is told, and the users who are told all the same: the teacher, and who has answered.
Hidden = tuple[int, frozenset[int]]


def open_classes() -> QuerySet[Classroom]:
    """Those that were neither ended nor forgotten."""
    return open_since(oldest_open())


def open_since(oldest: datetime) -> QuerySet[Classroom]:
    """Return the classes that nobody has ended, created after `oldest`."""
    return Classroom.objects.filter(ended=None, created__gt=oldest)


def oldest_open() -> datetime:
    """Return when a class was created that ends by itself now."""
    return timezone.now() - timedelta(hours=limits.CLASS_HOURS)


# Every read of a follower's page asks these three.
_FOLLOWED = Select(
    lambda cluster, user, oldest: Follower.objects.filter(
        user_id=user, left=False, classroom__in=open_since(oldest).filter(cluster_id=cluster)
    ).values_list("pk")[:1],
    *(int, int, datetime),
)
_SHOWING = Select(
    lambda cluster, oldest: open_since(oldest).filter(cluster_id=cluster).order_by("pk")[:1], int, datetime
)
_LAST_QUESTION = Select(
    lambda classroom: ClassQuestion.objects.filter(classroom=classroom).order_by("-number")[:1], int
)


def watching(cluster_id: int) -> set[int]:
    """The users who may look at a cluster because they follow a class that shows it."""
    shown = open_classes().filter(cluster_id=cluster_id).values("pk")
    return set(Follower.objects.filter(classroom__in=shown, left=False).values_list("user_id", flat=True))


def shows(cluster_id: int, user_id: int) -> bool:
    """Whether this user follows an open class that shows the cluster."""
    return _FOLLOWED.row(cluster_id, user_id, oldest_open()) is not None


def showing(cluster_id: int) -> Classroom | None:
    """The open class that shows the cluster."""
    return _SHOWING.object(cluster_id, oldest_open())


def hides(classroom: Classroom) -> Hidden | None:
    """What the open question hides, if there is one. Those of earlier versions hid nothing."""
    question = last_question(classroom)
    cycle = question.body.get("hides") if question and question.closed is None else None
    if question is None or cycle is None:
        return None
    answered = ClassAnswer.objects.filter(question=question).values_list("follower__user", flat=True)
    return cycle, frozenset({classroom.teacher_id, *answered})


def last_question(classroom: Classroom) -> ClassQuestion | None:
    return _LAST_QUESTION.object(classroom.pk)
