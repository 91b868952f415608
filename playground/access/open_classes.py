"""The clusters that open classes show, their followers, and the cycles that they hide."""

from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from playground import limits
from playground.models import ClassAnswer, ClassQuestion, Classroom, Follower

# The first hidden cycle, and the users who may see it anyway: the teacher, and the followers who have answered.
Hidden = tuple[int, frozenset[int]]


def select_open_classes() -> QuerySet[Classroom]:
    """Return the classes that were neither ended nor abandoned for too long."""
    return Classroom.objects.open_since(oldest_open_start())


def oldest_open_start() -> datetime:
    """Return when a class was created that ends by itself now."""
    return timezone.now() - timedelta(hours=limits.CLASS_HOURS)


def follower_ids_of_cluster(cluster_id: int) -> set[int]:
    """Return the users who follow a class that shows this cluster."""
    shown = select_open_classes().filter(cluster_id=cluster_id).values("pk")
    return set(Follower.objects.filter(classroom__in=shown, left=False).values_list("user_id", flat=True))


def is_shown_to(cluster_id: int, user_id: int) -> bool:
    """Return whether this user follows an open class that shows the cluster."""
    return (
        Follower.objects.find_in_class(user_id=user_id, cluster_id=cluster_id, oldest=oldest_open_start()) is not None
    )


def find_class_showing(cluster_id: int) -> Classroom | None:
    """Return the open class that shows the cluster, or None."""
    return Classroom.objects.find_showing(cluster_id=cluster_id, oldest=oldest_open_start())


def find_hidden_cycles(classroom: Classroom) -> Hidden | None:
    """Return what the open question hides, or None if no question is open."""
    question = find_last_question(classroom)
    if question is None or question.closed is not None:
        return None
    answered = ClassAnswer.objects.filter(question=question).values_list("follower__user", flat=True)
    return question.body["hides"], frozenset({classroom.teacher_id, *answered})


def find_last_question(classroom: Classroom) -> ClassQuestion | None:
    return ClassQuestion.objects.find_last(classroom_id=classroom.pk)
