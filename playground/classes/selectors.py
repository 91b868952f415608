"""Classes as teacher and followers see them."""

from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, NotRequired, TypedDict, cast

from django.db.models import Q, QuerySet
from django.utils import timezone

from playground.access.shown import Hidden, hides, last_question, open_classes
from playground.models import ClassAnswer, ClassQuestion, Classroom, Follower
from playground.shapes import Anything, named

# A page in a class gives a sign of life three times in this time.
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
    """From the cycle `hides` on nothing is told to who has not answered."""

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


class Common(TypedDict):
    id: int
    cluster: int
    cluster_name: str
    locked: bool
    pointer: Pointer | None
    moment: Anything | None


class ForAll(Common):
    """A class as it is told to everybody in it, by what they are."""

    role: Literal["teacher", "follower"]
    code: NotRequired[str]
    followers: NotRequired[list[FollowerState]]
    question: Question | None


@named("ClassAnswer")
class ClassState(ForAll):
    """`code` and `followers` are for the teacher, `me` for a follower."""

    me: Me | None


def of_user(user_id: int | None) -> QuerySet[Classroom]:
    """The open classes that a user teaches or follows; None is nobody."""
    if user_id is None:
        return Classroom.objects.none()
    following = Follower.objects.filter(user_id=user_id, left=False).values("classroom")
    return open_classes().filter(Q(teacher_id=user_id) | Q(pk__in=following))


def follower_of(classroom: Classroom, user_id: int | None) -> Follower | None:
    """The user as a follower of this class; None for somebody else, and for who left."""
    if user_id is None:
        return None
    return Follower.objects.filter(classroom=classroom, user_id=user_id, left=False).first()


def users_of(classroom: Classroom) -> list[int]:
    """The users who follow it."""
    return list(_followers(classroom).values_list("user_id", flat=True))


def version(class_id: int) -> tuple[int, int, Any]:
    """The number of the last change, of the last move, and that move; −1 for a class that is over."""
    found = open_classes().filter(pk=class_id).values_list("version", "moved", "moment").first()
    return found or (-1, 0, None)


def may_point(class_id: int, user_id: int) -> bool:
    """Whether the pointer is in this user's hand."""
    found = open_classes().filter(pk=class_id).values_list("teacher_id", "pointer__user_id").first()
    return found is not None and (found[1] or found[0]) == user_id


def for_teacher(classroom: Classroom) -> ForAll:
    """What the teacher sees: everybody, and how they answer."""
    question = last_question(classroom)
    answered = _answered(question)
    followers: list[FollowerState] = [
        {"id": each.pk, "name": each.name, "here": is_here(each), "answered": each.pk in answered}
        for each in _followers(classroom)
    ]
    return {
        **_common(classroom),
        "role": "teacher",
        "code": classroom.code,
        "followers": followers,
        "question": None if question is None else _question(question, answered, show_counts=True),
    }


def for_followers(classroom: Classroom) -> ForAll:
    """What every follower sees; the same for all of them."""
    question = last_question(classroom)
    is_over = question is not None and question.closed is not None
    answered = _answered(question) if is_over else {}
    shown = None if question is None else _question(question, answered, show_counts=is_over)
    return {**_common(classroom), "role": "follower", "question": shown}


def for_user(classroom: Classroom, user_id: int | None) -> ClassState:
    """The class as this user may see it, who teaches or follows it."""
    if classroom.teacher_id == user_id:
        return {**for_teacher(classroom), "me": None}
    seen: ClassState = {**for_followers(classroom), "me": me(classroom, user_id)}
    return seen if may_see(seen["moment"], hides(classroom), user_id) else {**seen, "moment": None}


def may_see(moment: Mapping[str, Any] | None, hidden: Hidden | None, user_id: int | None) -> bool:
    """Whether this user may see where the pointer is: what it picks in a cycle that is asked about would tell."""
    return moment is None or hidden is None or user_id in hidden[1] or (moment["cycle"] or 0) < hidden[0]


def me(classroom: Classroom, user_id: int | None) -> Me | None:
    """A follower's own part: `{id, name, chosen}`, with what they answered to the question that was asked last."""
    follower = follower_of(classroom, user_id)
    if follower is None:
        return None
    question = last_question(classroom)
    answers = (
        ClassAnswer.objects.filter(question=question, follower=follower) if question else ClassAnswer.objects.none()
    )
    return {"id": follower.pk, "name": follower.name, "chosen": answers.values_list("chosen", flat=True).first()}


def is_here(follower: Follower) -> bool:
    """Whether a page of theirs is connected."""
    return follower.seen is not None and timezone.now() - follower.seen < timedelta(seconds=HERE_SECONDS)


def _common(classroom: Classroom) -> Common:
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


def _answered(question: ClassQuestion | None) -> dict[int, list[str]]:
    """What each follower said, of those who are still there."""
    if question is None:
        return {}
    answers = ClassAnswer.objects.filter(question=question, follower__left=False)
    return dict(answers.values_list("follower_id", "chosen"))


def _question(question: ClassQuestion, answered: dict[int, list[str]], *, show_counts: bool) -> Question:
    """The right answer comes with the end of the question, for everybody: a teacher's screen is often on a wall."""
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
