"""`manage.py load_examples`: create the built-in examples for a local playground's user, if there are no clusters."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from playground.accounts.services import get_local_user
from playground.clusters import lifecycle
from playground.clusters.examples import all_examples
from playground.models import Cluster


class Command(BaseCommand):
    help = "Load the built-in examples for the user of a local playground; with a login everybody starts with none."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.LOCAL:
            return
        user = get_local_user()
        if Cluster.objects.filter(owner_id=user.pk).exists():
            # A user who deleted an example must not get it back.
            return
        for example in all_examples():
            lifecycle.create_cluster(
                user,
                example.title,
                seed=42,
                objects=example.objects,
                example=example.slug,
                emulates=example.emulates,
            )
