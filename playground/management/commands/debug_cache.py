"""`manage.py debug_cache CLUSTER`: run the cache debugger on a server's command line."""

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
        dump = debugger.debug(cluster)
        self.stdout.write(json.dumps(dump, indent=2))
        if not dump["agrees"]:
            raise CommandError("cache and stored objects differ")
