"""What requests about workloads may say."""

from rest_framework import serializers

from playground.api.forms import numbered


class ReconcilesQuery(serializers.Serializer):
    after = numbered(default=0)
