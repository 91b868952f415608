"""Clients of the Kubernetes API: their tokens, and what they were refused."""

from django.db import models

from kube_objects.kinds.kept import LONGEST_KIND
from playground import limits
from playground.models.clusters import Cluster


class KubernetesToken(models.Model):
    """Lets a client into the Kubernetes API of one cluster. The token itself is told once and not kept: `digest` is."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="+")
    role = models.CharField(max_length=10)
    name = models.CharField(max_length=limits.TOKEN_NAME, blank=True, default="")
    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    used = models.DateTimeField(null=True)
    # The program that used it last, as it names itself.
    client = models.CharField(max_length=limits.CLIENT_NAME, blank=True, default="")


class ClientRefusal(models.Model):
    """A write that a client was refused, for the page that follows it. Of a cluster only the newest are kept.

    One that a client tries again and again is one row: `times` counts, `at` is the last of them.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="+")
    client = models.CharField(max_length=limits.CLIENT_NAME, blank=True, default="")
    # What was to be changed, as a command says it, and what it was about: a kind, and a key.
    what = models.CharField(max_length=200)
    kind = models.CharField(max_length=LONGEST_KIND)
    key = models.CharField(max_length=400)
    code = models.IntegerField()
    reason = models.CharField(max_length=40)
    message = models.CharField(max_length=limits.REFUSAL_MESSAGE)
    times = models.IntegerField(default=1)
    at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["cluster", "-at"], name="client_refusal")]
