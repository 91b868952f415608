"""Shared moments that are stored, and the clusters in which shared moments are shown."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from playground import limits
from playground.fields import PackedText
from playground.models.clusters import Cluster
from simulator.exchange.share_file import MAX_TITLE


class Share(models.Model):
    """A moment under an id that cannot be guessed. It never changes; its owner may delete it."""

    token = models.CharField(max_length=limits.SHARE_TOKEN, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="shares")
    title = models.CharField(max_length=MAX_TITLE, blank=True)
    emulates = models.CharField(max_length=limits.EMULATION)
    # Which scenario it is of: see `ShareView`.
    digest = models.CharField(max_length=64, db_index=True)
    # The document of `simulator.exchange.share_file`, and how long it is unpacked.
    document = PackedText()
    size = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.title} ({self.token})"


class ShareView(models.Model):
    """A scenario played for everybody who opens a link with it. Whoever brings the key may read the cluster.

    It can always be made again from a link, so the one that was opened longest ago makes room for others.
    """

    digest = models.CharField(max_length=64, unique=True)
    key = models.CharField(max_length=limits.SHARE_KEY, unique=True)
    cluster = models.OneToOneField(Cluster, models.CASCADE, related_name="share_view")
    opened = models.DateTimeField(default=timezone.now, db_index=True)
    # Seconds that all workers have worked at its cluster.
    worked = models.FloatField(default=0.0)
