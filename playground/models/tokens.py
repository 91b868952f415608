"""Tokens of clients of the Kubernetes API."""

from django.db import models

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
