"""Classes as their teachers and followers see them."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, NotRequired, TypedDict, cast

from django.db.models import Q, QuerySet
from django.utils import timezone

from playground.access.open_classes import Hidden, find_hidden_cycles, find_last_question, select_open_classes
from playground.models import ClassAnswer, ClassQuestion, Classroom, Follower
from playground.response_types import Anything, named

# A follower whose page gave no sign of life for so long is away; pages give three in this time.
HERE_SECONDS = 60


class Named(TypedDict):
    id: int
    name: str


@named("PointerAnswer")
class Pointer(Named):
    pass


@named("FollowerAnswer")
class FollowerState(Named):
    here: bool
    answered: bool


@named("ClassQuestionAnswer")
class Question(TypedDict):
    """A question to the class. Followers who have not answered see nothing from the cycle `hides` on."""

    number: int
    kind: str
    several: bool
    ask: str | None
    pod: str | None
    node: str | None
    cycle: int | None
    hides: int | None
    lesson: str | None
    check: str | None
    options: list[str]
    open: bool
    answers: int | None
    counts: list[int] | None
    right: list[str] | None
    right_answers: int | None


@named("MeAnswer")
class Me(Named):
    chosen: list[str] | None


class ClassSummary(TypedDict):
    id: int
    cluster: int
    cluster_name: str
    locked: bool
    pointer: Pointer | None
    moment: Anything | None


class ForAll(ClassSummary):
    """The part of a class's state that is the same for all users of a role."""

    role: Literal["teacher", "follower"]
    code: NotRequired[str]
    followers: NotRequired[list[FollowerState]]
    question: Question | None


@named("ClassAnswer")
class ClassState(ForAll):
    """A class as one user sees it. `code` and `followers` are for the teacher, `me` for a follower."""

    me: Me | None


def classes_of_user(user_id: int | None) -> QuerySet[Classroom]:
    """Return the open classes that a user teaches or follows; none for None."""
    if user_id is None:
        return Classroom.objects.none()
    following = Follower.objects.filter(user_id=user_id, left=False).values("classroom")
    return select_open_classes().filter(Q(teacher_id=user_id) | Q(pk__in=following))


def follower_of(classroom: Classroom, user_id: int | None) -> Follower | None:
    """Return the user as a follower of this class; None for other users and for followers who left."""
    if user_id is None:
        return None
    return Follower.objects.filter(classroom=classroom, user_id=user_id, left=False).first()


def users_of(classroom: Classroom) -> list[int]:
    """Return the IDs of the users who follow the class."""
    return list(_followers(classroom).values_list("user_id", flat=True))


def read_version(class_id: int) -> tuple[int, int, Any]:
    """Return the numbers of the last change and the last move, and that move; −1 for a class that has ended."""
    row = select_open_classes().filter(pk=class_id).values_list("version", "moved", "moment").first()
    return row or (-1, 0, None)


def may_point(class_id: int, user_id: int) -> bool:
    """Return whether this user has the pointer."""
    row = select_open_classes().filter(pk=class_id).values_list("teacher_id", "pointer__user_id").first()
    return row is not None and (row[1] or row[0]) == user_id


def describe_for_teacher(classroom: Classroom) -> ForAll:
    """Return the class as the teacher sees it: all followers and their answers."""
    question = find_last_question(classroom)
    answered = _chosen_options(question)
    followers: list[FollowerState] = [
        {"id": each.pk, "name": each.name, "here": is_here(each), "answered": each.pk in answered}
        for each in _followers(classroom)
    ]
    return {
        **_describe_class(classroom),
        "role": "teacher",
        "code": classroom.code,
        "followers": followers,
        "question": None if question is None else _question(question, answered, show_counts=True),
    }


def describe_for_followers(classroom: Classroom) -> ForAll:
    """Return the class as every follower sees it."""
    question = find_last_question(classroom)
    is_over = question is not None and question.closed is not None
    answered = _chosen_options(question) if is_over else {}
    shown = None if question is None else _question(question, answered, show_counts=is_over)
    return {**_describe_class(classroom), "role": "follower", "question": shown}


def describe_for_user(classroom: Classroom, user_id: int | None) -> ClassState:
    """Return the class as this user, its teacher or a follower, may see it."""
    if classroom.teacher_id == user_id:
        return {**describe_for_teacher(classroom), "me": None}
    seen: ClassState = {**describe_for_followers(classroom), "me": describe_follower(classroom, user_id)}
    return seen if may_see(seen["moment"], find_hidden_cycles(classroom), user_id) else {**seen, "moment": None}


def may_see(moment: Mapping[str, Any] | None, hidden: Hidden | None, user_id: int | None) -> bool:
    """Return whether this user may see the pointer: its position in a hidden cycle would reveal the answer."""
    return moment is None or hidden is None or user_id in hidden[1] or (moment["cycle"] or 0) < hidden[0]


def describe_follower(classroom: Classroom, user_id: int | None) -> Me | None:
    """Return the follower's own part, `{id, name, chosen}`, with their answer to the last question."""
    follower = follower_of(classroom, user_id)
    if follower is None:
        return None
    question = find_last_question(classroom)
    answers = (
        ClassAnswer.objects.filter(question=question, follower=follower) if question else ClassAnswer.objects.none()
    )
    return {"id": follower.pk, "name": follower.name, "chosen": answers.values_list("chosen", flat=True).first()}


def is_here(follower: Follower) -> bool:
    """Return whether a page of this follower is connected."""
    return follower.seen is not None and timezone.now() - follower.seen < timedelta(seconds=HERE_SECONDS)


def _describe_class(classroom: Classroom) -> ClassSummary:
    pointer = classroom.pointer
    return {
        "id": classroom.pk,
        "cluster": classroom.cluster_id,
        "cluster_name": classroom.cluster.name,
        "locked": classroom.locked,
        "pointer": None if pointer is None else {"id": pointer.pk, "name": pointer.name},
        "moment": classroom.moment,
    }


def _followers(classroom: Classroom) -> QuerySet[Follower]:
    return Follower.objects.filter(classroom=classroom, left=False)


def _chosen_options(question: ClassQuestion | None) -> dict[int, list[str]]:
    """Return the options that each remaining follower chose."""
    if question is None:
        return {}
    answers = ClassAnswer.objects.filter(question=question, follower__left=False)
    return dict(answers.values_list("follower_id", "chosen"))


def _question(question: ClassQuestion, answered: dict[int, list[str]], *, show_counts: bool) -> Question:
    """Return a question; its right answer only once it is closed, because a teacher's screen may be public."""
    is_open = question.closed is None
    counted = Counter(option for chosen in answered.values() for option in chosen)
    right = sorted(question.right)
    result = {
        "number": question.number,
        "hides": None,
        **question.body,
        "options": question.options,
        "open": is_open,
        "answers": len(answered) if show_counts else None,
        "counts": [counted[option] for option in question.options] if show_counts else None,
        "right": None if is_open else question.right,
        "right_answers": None if is_open else sum(sorted(chosen) == right for chosen in answered.values()),
    }
    return cast(Question, result)
