"""Changes of classes and their followers. Each change is published to the pages in the class."""

import secrets
import unicodedata
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from kube_objects.sentences import say
from playground import limits
from playground.access import open_classes
from playground.accounts import guests
from playground.models import ClassQuestion, Classroom, Cluster, Follower
from playground.news.frames import class_group
from playground.news.publisher import tell
from playground.problems import Refused, problem

FORBIDDEN, NOT_FOUND, CONFLICT, TOO_MANY = 403, 404, 409, 429
# Without letters and digits that look alike. This leaves 28^8 codes.
ALPHABET = "ABCDEFGHJKMNPQRTUVWXYZ346789"


@transaction.atomic
def open_class(teacher: AbstractBaseUser, cluster: Cluster) -> Classroom:
    """Open a class with this cluster, or show the cluster in the class that the teacher already has.

    Raises Refused for guests, because only users with an account may teach.
    """
    if guests.is_guest(teacher.pk):
        raise Refused([problem("", say("guests cannot create classes"), hint=say("log in with an account"))], FORBIDDEN)
    get_user_model()._default_manager.select_for_update().get(pk=teacher.pk)
    known = open_classes.select_open_classes().filter(teacher_id=teacher.pk).first()
    if known is not None:
        return change_class(known, cluster=cluster)
    Classroom.objects.filter(teacher_id=teacher.pk, ended=None).update(ended=timezone.now())
    code = "".join(secrets.choice(ALPHABET) for _ in range(limits.CLASS_CODE))
    return Classroom.objects.create(teacher_id=teacher.pk, cluster=cluster, code=code)


@transaction.atomic
def change_class(classroom: Classroom, **wanted: Any) -> Classroom:
    """Lock or unlock the class, hand the `pointer` to a follower or back (None), or show another `cluster`."""
    if "cluster" in wanted and wanted["cluster"].pk != classroom.cluster_id:
        # The pointer's position and the open question belong to the old cluster.
        wanted["moment"] = None
        ClassQuestion.objects.filter(classroom=classroom, closed=None).update(closed=timezone.now())
    Classroom.objects.filter(pk=classroom.pk).update(**wanted)
    publish_change(classroom.pk)
    classroom.refresh_from_db()
    return classroom


def end_class(classroom: Classroom) -> None:
    """End the class for good; its followers lose access to the cluster."""
    Classroom.objects.filter(pk=classroom.pk).update(ended=timezone.now())
    publish_change(classroom.pk)


def end_classes_of_cluster(cluster: Cluster, **_: Any) -> None:
    """End the classes that show a cluster which is being deleted."""
    for classroom in Classroom.objects.filter(cluster=cluster, ended=None):
        end_class(classroom)


def join_class(code: str, name: str, user: AbstractBaseUser | None, address: str) -> Follower:
    """Join the class with this code; without a user as a new guest. Raises Refused.

    A user who was in the class before becomes the same follower again.
    """
    if not guests.may_try_code(address):
        rule = say("too many wrong codes came from your address")
        raise Refused([problem("code", rule, hint=say("try again in a few minutes"))], TOO_MANY)
    name = check_name(name)
    classroom = open_classes.select_open_classes().filter(code=normalize_code(code)).first()
    if classroom is None:
        guests.count_wrong_code(address)
        rule, hint = (
            say("there is no open class with this code"),
            say("codes are letters and digits, as the teacher shows them"),
        )
        raise Refused([problem("code", rule, code[:40], hint)], NOT_FOUND)
    if user is not None and user.pk == classroom.teacher_id:
        hint = say("to see it as a follower does, open the link in another browser or a private window")
        raise Refused([problem("code", say("you teach this class yourself"), hint=hint)], CONFLICT)
    if user is None and not guests.may_become_guest(address):
        rule = say("too many guests came from your address")
        raise Refused([problem("code", rule, hint=say("log in, or try again in an hour"))], TOO_MANY)
    return _enter(classroom, name, user)


@transaction.atomic
def _enter(classroom: Classroom, name: str, user: AbstractBaseUser | None) -> Follower:
    # Lock the class while its followers are counted.
    Classroom.objects.select_for_update().get(pk=classroom.pk)
    known = Follower.objects.filter(classroom=classroom, user_id=user.pk).first() if user is not None else None
    if known is not None and known.barred:
        raise Refused([problem("code", say("the teacher removed you from this class"))], CONFLICT)
    is_new = known is None or known.left
    if is_new and Follower.objects.filter(classroom=classroom, left=False).count() >= limits.CLASS_FOLLOWERS:
        raise Refused(
            [
                problem(
                    "code",
                    say(
                        "this class is full; at most {most} followers can join",
                        most=limits.CLASS_FOLLOWERS,
                    ),
                )
            ],
            CONFLICT,
        )
    if known is None:
        known = Follower.objects.create(classroom=classroom, user_id=(user or guests.create_guest()).pk, name=name)
    else:
        Follower.objects.filter(pk=known.pk).update(name=name, left=False)
    publish_change(classroom.pk)
    return known


@transaction.atomic
def leave_class(follower: Follower, *, barred: bool = False) -> None:
    """Remove a follower from the class. The teacher gets the pointer back. A `barred` follower can't join again."""
    Follower.objects.filter(pk=follower.pk).update(left=True, seen=None, barred=barred)
    Classroom.objects.filter(pk=follower.classroom_id, pointer=follower).update(pointer=None)
    publish_change(follower.classroom_id)


def store_presence(class_id: int, user_ids: list[int], *, here: bool) -> None:
    """Store that pages of these followers are connected, or that none is any more."""
    when = timezone.now() if here else None
    Follower.objects.filter(classroom_id=class_id, user_id__in=user_ids).update(seen=when)


def store_pointer(class_id: int, moment: dict[str, Any], number: int) -> None:
    """Store the pointer's last position for pages that open later, unless a newer one is stored."""
    Classroom.objects.filter(pk=class_id, moved__lt=number).update(moment=moment, moved=number)


def publish_change(class_id: int) -> None:
    """Increase the class's version, and publish the change after the commit."""
    Classroom.objects.filter(pk=class_id).update(version=F("version") + 1)
    transaction.on_commit(lambda: tell(class_group(class_id), {"type": "changed"}))


def normalize_code(code: str) -> str:
    """Return a typed code in its normal form: uppercase, without spaces and dashes."""
    return "".join(code.split()).replace("-", "").upper()[: limits.CLASS_CODE + 1]


def check_name(name: str) -> str:
    """Return the name in one line, without surrounding space. Raises Refused for invisible characters."""
    plain = " ".join(unicodedata.normalize("NFC", name).split())
    if not plain or len(plain) > limits.FOLLOWER_NAME:
        raise Refused([problem("name", say("needs 1 to {most} characters", most=limits.FOLLOWER_NAME), plain[:80])])
    # Control, format and private characters can hide, reorder or break the text around them.
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Co", "Cs", "Cn") for letter in plain):
        raise Refused(
            [problem("name", say("has invisible characters"), hint=say("letters, digits and punctuation are fine"))]
        )
    return plain
