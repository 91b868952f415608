"""The clusters that show shared moments. Their owner can't log in, and each runs once for all viewers."""

import secrets

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.core.cache import cache
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from redis import RedisError

from kube_objects.sentences import say
from playground import limits, sandbox
from playground.clusters import lifecycle
from playground.exchange import scenario_loading
from playground.models import Cluster, ShareView
from playground.problems import Refused, problem
from playground.shares import services as shares
from simulator.exchange.share_file import Share

TOO_MANY = 429


def open_view(share: Share, address: str) -> ShareView:
    """Return the cluster that shows the moment; create and queue it first if necessary. `address` is the client's.

    Raises Refused if the moment can't run, and with status 429 at too many requests.
    """
    digest = shares.digest_of(share)
    known = _find_view(digest)
    if known is not None:
        return known
    # Apply the rate limit before the expensive checks, because clients need no account.
    _count(address)
    budget = sandbox.CallLimits("stranger", limits.SHARE_CHECK_SECONDS, limits.SHARE_CHECK_BYTES)
    sandbox.call_in_sandbox(shares.check_share, budget, share)
    with transaction.atomic():
        owner = _host()
        # Lock the owner's row, so that two requests for one link create one cluster.
        get_user_model()._default_manager.select_for_update().get(pk=owner.pk)
        if (known := _find_view(digest)) is not None:
            return known
        _make_room()
        made = lifecycle.create_cluster(
            owner, share.title or "shared", emulates=share.scenario.emulates, numbered=False
        )
        view = ShareView.objects.create(digest=digest, key=secrets.token_urlsafe(32), cluster=made)
        scenario_loading.load_scenario(made.pk, share.scenario, "")
    return view


def _find_view(digest: str) -> ShareView | None:
    view = ShareView.objects.filter(digest=digest).first()
    if view is not None:
        ShareView.objects.filter(pk=view.pk).update(opened=timezone.now())
    return view


def _make_room() -> None:
    """Delete the views that were opened longest ago. Raises Refused while too many clusters are running."""
    at_work = Cluster.objects.filter(share_view__isnull=False, applied__lt=F("submitted")).count()
    if at_work >= limits.SHARE_VIEWS_AT_WORK:
        raise Refused(
            [problem("", say("too many shared snapshots are being opened"), hint=say("try again in a moment"))],
            TOO_MANY,
        )
    surplus = ShareView.objects.count() + 1 - limits.SHARE_VIEWS
    if surplus > 0:
        for view in ShareView.objects.select_related("cluster").order_by("opened")[:surplus]:
            lifecycle.delete_cluster(view.cluster)


def _host() -> AbstractBaseUser:
    """Return the user that owns these clusters. The user can't log in, and no account can have the name."""
    users = get_user_model()._default_manager
    owner, _ = users.get_or_create(username=settings.SHARE_USERNAME, defaults={"password": "!", "is_active": False})
    return owner


def _count(address: str) -> None:
    """Raise Refused if an address opened too many new moments in the last minute."""
    key = f"shares-{address}"
    try:
        cache.add(key, 0, limits.SHARE_VIEWS_SECONDS)
        if cache.incr(key) <= limits.SHARE_VIEWS_PER_MINUTE:
            return
    except (RedisError, OSError, ValueError):
        # Without the cache, the limits of `_make_room` still apply.
        return
    rule = say("at most {n} new snapshots per minute", n=limits.SHARE_VIEWS_PER_MINUTE)
    raise Refused([problem("", rule, hint=say("try again in a minute"))], TOO_MANY)
