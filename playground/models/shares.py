"""Shared moments, and the clusters that show them."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from playground import limits
from playground.models.clusters import Cluster
from playground.text_fields import PackedText
from simulator.exchange.share_file import MAX_TITLE


class Share(models.Model):
    """A shared moment with an unguessable token. It never changes, and its owner may delete it."""

    token = models.CharField(max_length=limits.SHARE_TOKEN, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="shares")
    title = models.CharField(max_length=MAX_TITLE, blank=True)
    emulates = models.CharField(max_length=limits.EMULATION)
    # The digest of its scenario, see `ShareView`.
    digest = models.CharField(max_length=64, db_index=True)
    # The document of `simulator.exchange.share_file`, and its size when unpacked.
    document = PackedText()
    size = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.title} ({self.token})"


class ShareView(models.Model):
    """A cluster that plays a scenario for all visitors of a link. A client with the key may read the cluster.

    It can be recreated from a link, so the one that was opened longest ago is deleted first.
    """

    digest = models.CharField(max_length=64, unique=True)
    key = models.CharField(max_length=limits.SHARE_KEY, unique=True)
    cluster = models.OneToOneField(Cluster, models.CASCADE, related_name="share_view")
    opened = models.DateTimeField(default=timezone.now, db_index=True)
    # The seconds that workers have spent on its cluster.
    worked = models.FloatField(default=0.0)
