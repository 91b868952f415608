"""A cluster's row by its number: what is asked for most often, so put together once."""

from playground.models import Cluster
from playground.prepared import Select

CLUSTER = Select(lambda pk: Cluster.objects.filter(pk=pk), int)
