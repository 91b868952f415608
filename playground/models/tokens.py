"""Clients of the Kubernetes API: their tokens and their refused writes."""

from django.db import models

from kube_objects.kinds.storage_kind import LONGEST_KIND
from playground import limits
from playground.models.clusters import Cluster


class KubernetesToken(models.Model):
    """A token for the Kubernetes API of one cluster. Only its `digest` is stored."""

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="+")
    role = models.CharField(max_length=10)
    name = models.CharField(max_length=limits.TOKEN_NAME, blank=True, default="")
    digest = models.CharField(max_length=64, unique=True)
    created = models.DateTimeField(auto_now_add=True)
    used = models.DateTimeField(null=True)
    # The program that used it last, from its User-Agent.
    client = models.CharField(max_length=limits.CLIENT_NAME, blank=True, default="")


class ClientRefusal(models.Model):
    """A client's write that was refused, for the UI. Only the newest ones of a cluster are stored.

    Repeated equal refusals share a row: `times` is their number and `at` the time of the last one.
    """

    cluster = models.ForeignKey(Cluster, models.CASCADE, related_name="+")
    client = models.CharField(max_length=limits.CLIENT_NAME, blank=True, default="")
    # A description of the intended change, with the kind and key of its object.
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
