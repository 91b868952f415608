"""The page where a user joins a class with its code and a name, with or without an account."""

from typing import Any

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods

from playground import limits
from playground.accounts.guests import IS_GUEST, TEACHES, is_guest
from playground.classes import selectors, services
from playground.models import Follower
from playground.problems import Problem, Refused
from playground.request_language import translate_answer


@never_cache
@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str = "") -> HttpResponseBase:
    """Ask for code and name; if both are right, log the browser in as a follower of the class."""
    if request.method != "POST":
        return _form(request, {"code": code[:40]})
    fields = {"code": request.POST.get("code", ""), "name": request.POST.get("name", "")}
    try:
        follower = services.join_class(
            fields["code"], fields["name"], _user(request), request.META.get("REMOTE_ADDR", "")
        )
    except Refused as refused:
        return _form(request, fields, refused)
    _become(request, follower)
    return redirect(f"/?cluster={follower.classroom.cluster_id}")


def _user(request: HttpRequest) -> Any:
    """Return the user who joins; None for a visitor without an account, for whom a guest is created."""
    if settings.LOCAL and not request.session.get(IS_GUEST):
        return request.user if request.session.get(TEACHES) else None
    return request.user if request.user.is_authenticated else None


def _become(request: HttpRequest, follower: Follower) -> None:
    if request.user.pk != follower.user_id:
        login(request, follower.user, backend=settings.AUTHENTICATION_BACKENDS[0])
        request.session[IS_GUEST] = is_guest(follower.user_id)


def _form(request: HttpRequest, fields: dict[str, Any], refused: Refused | None = None) -> HttpResponse:
    words = [_sentences_of(found) for found in translate_answer(refused.problems)] if refused else []
    shown = {"problems": words, "name_length": limits.FOLLOWER_NAME, **fields}
    return render(request, "join.html", shown, status=refused.status if refused else 200)


def _sentences_of(found: Problem) -> str:
    """Return the problem and its hint as sentences for the page."""
    parts = [found["rule"], *([found["hint"]] if "hint" in found else [])]
    text = " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)
    return text if found["path"] == "code" else f"{found['path']}: {text}"


def joined_class_id(request: HttpRequest) -> int | None:
    """Return the newest open class of the page's user."""
    return selectors.classes_of_user(request.user.pk).order_by("pk").values_list("pk", flat=True).last()
