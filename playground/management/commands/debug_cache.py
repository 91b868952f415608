"""`manage.py debug_cache CLUSTER`: the cache debugger, for a shell on the server."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from playground.models import Cluster
from playground.operations import debugger


class Command(BaseCommand):
    help = "Compare the engine's cache of a cluster with the stored objects, and dump cache and queue as JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", type=int, help="its number")

    def handle(self, *args: Any, **options: Any) -> None:
        cluster = Cluster.objects.filter(pk=options["cluster"]).first()
        if cluster is None:
            raise CommandError(f"there is no cluster {options['cluster']}")
        found = debugger.debug(cluster)
        self.stdout.write(json.dumps(found, indent=2))
        if not found["agrees"]:
            raise CommandError("cache and stored objects differ")
