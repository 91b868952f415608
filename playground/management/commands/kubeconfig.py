"""`manage.py kubeconfig CLUSTER`: write a kubeconfig for one cluster, with a new token."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from kube_apiserver.access import EDIT, ROLES
from playground.kubernetes import tokens
from playground.models import Cluster
from playground.problems import Refused


class Command(BaseCommand):
    help = "Write a kubeconfig for a cluster to standard output, with a new token of the role."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", type=int, help="the number in the page's address")
        parser.add_argument("--role", choices=ROLES, default=EDIT)
        parser.add_argument("--name", default="", help="what the list of tokens says of it")
        origin = next((each for each in settings.PUBLIC_ORIGINS if each.startswith("https:")), "http://127.0.0.1:8000")
        parser.add_argument("--server", default=origin, help=f"where the playground is reached: {origin} without this")
        parser.add_argument(
            "--certificate-authority",
            type=Path,
            help="a PEM file: what the server's certificate is trusted by; that of CERTIFICATE_AUTHORITY without this",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        cluster = Cluster.objects.filter(pk=options["cluster"]).first()
        if cluster is None:
            raise CommandError(f"there is no cluster {options['cluster']}")
        path = options["certificate_authority"]
        try:
            authority = path.read_bytes() if path else b""
            _, text = tokens.create_token(cluster, options["role"], options["name"])
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}") from error
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(tokens.kubeconfig(cluster, options["server"], text, authority), ending="")
