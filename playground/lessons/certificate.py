"""The certificate: a page for printing with the lessons that the user finished."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from playground import limits
from playground.lessons import selectors as lessons


@require_safe
@never_cache
@login_required
def certificate(request: HttpRequest) -> HttpResponseBase:
    """Show the finished lessons with their dates. The name is typed on the page and sent nowhere."""
    solved = lessons.solved_by(request.user.pk or 0, get_language() or "en")
    name = request.user.get_username()
    says = _("completed {n} of {all} lessons about the Kubernetes scheduler. A scheduling engine checked every answer.")
    shown = {
        "solved": solved,
        "says": says.format(n=len(solved), all=len(lessons.all_lessons())),
        "name": "" if name == settings.LOCAL_USERNAME else name,
        "name_length": limits.FOLLOWER_NAME,
    }
    return render(request, "certificate.html", shown)
