"""The page, the login, and error pages."""

import sys
from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, redirect_to_login
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from kube_objects.sentences import say
from playground.accounts import services as accounts
from playground.classes.join_page import joined_class_id
from playground.database_errors import refusal_of
from playground.request_language import in_words


@require_safe
@never_cache
@ensure_csrf_cookie
def index(request: HttpRequest) -> HttpResponseBase:
    """Show the page, which reads cluster and point in time from its own query."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    return render(request, "index.html", {"class_id": joined_class_id(request)})


@require_safe
def cluster(request: HttpRequest, cluster_id: int) -> HttpResponseBase:
    """Redirect to the page with this cluster."""
    return redirect(f"{reverse('index')}?cluster={cluster_id}")


class _LoginForm(AuthenticationForm):
    """A login form that rejects further passwords after too many wrong ones."""

    def clean(self) -> dict[str, Any]:
        assert self.request is not None
        address = self.request.META.get("REMOTE_ADDR", "")
        username = self.cleaned_data.get("username", "")
        if not accounts.may_try_login(username, address):
            raise ValidationError(_("Too many wrong passwords. Try again in a few minutes."), code="throttled")
        try:
            return super().clean()
        except ValidationError:
            accounts.count_failed_login(username, address)
            raise


class Login(LoginView):
    authentication_form = _LoginForm
    redirect_authenticated_user = True


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _error_response(request, 400, say("Invalid request"))


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _error_response(request, 403, str(exception) or say("is not allowed"))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _error_response(request, 404, say("Not found"))


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error outside of any view, such as a session that the database can't store."""
    # Django calls this while it handles the exception.
    if unavailable := refusal_of(sys.exception()):
        response = _error_response(request, unavailable.status, unavailable.problems[0]["rule"])
        response.headers["Retry-After"] = "1"
        return response
    return _error_response(request, 500, say("Internal server error. The server's log has the details."))


def _error_response(request: HttpRequest, status: int, rule: str) -> HttpResponse:
    """Return an error as JSON for the API, else as plain text."""
    if request.path.startswith("/api/"):
        return JsonResponse({"problems": [{"path": "", "rule": in_words(rule)}]}, status=status)
    return HttpResponse(f"{status}: {in_words(rule)}\n", status=status, content_type="text/plain; charset=utf-8")
