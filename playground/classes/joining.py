"""The way into a class, with or without an account: a page that asks for the code and a name."""

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
from playground.language import answer
from playground.models import Follower
from playground.problems import Problem, Refused


@never_cache
@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str = "") -> HttpResponseBase:
    """Ask for code and name; with both right the browser follows the class from now on."""
    if request.method != "POST":
        return _form(request, {"code": code[:40]})
    given = {"code": request.POST.get("code", ""), "name": request.POST.get("name", "")}
    try:
        follower = services.join(given["code"], given["name"], _user(request), request.META.get("REMOTE_ADDR", ""))
    except Refused as refused:
        return _form(request, given, refused)
    _become(request, follower)
    return redirect(f"/?cluster={follower.classroom.cluster_id}")


def _user(request: HttpRequest) -> Any:
    """Who comes; None for somebody without an account, who is made a guest."""
    if settings.LOCAL and not request.session.get(IS_GUEST):
        return request.user if request.session.get(TEACHES) else None
    return request.user if request.user.is_authenticated else None


def _become(request: HttpRequest, follower: Follower) -> None:
    if request.user.pk != follower.user_id:
        login(request, follower.user, backend=settings.AUTHENTICATION_BACKENDS[0])
        request.session[IS_GUEST] = is_guest(follower.user_id)


def _form(request: HttpRequest, given: dict[str, Any], refused: Refused | None = None) -> HttpResponse:
    words = [_sentences_of(found) for found in answer(refused.problems)] if refused else []
    shown = {"problems": words, "name_length": limits.FOLLOWER_NAME, **given}
    return render(request, "join.html", shown, status=refused.status if refused else 200)


def _sentences_of(found: Problem) -> str:
    """What is wrong, and what would help, as sentences of the page."""
    parts = [found["rule"], *([found["hint"]] if "hint" in found else [])]
    text = " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)
    return text if found["path"] == "code" else f"{found['path']}: {text}"


def class_of(request: HttpRequest) -> int | None:
    """The open class that the page's user is in, the newest one."""
    return selectors.of_user(request.user.pk).order_by("pk").values_list("pk", flat=True).last()
