"""`manage.py draw_gallery`: draw the gallery's pictures after a change of its moments."""

from typing import Any

from django.core.management.base import BaseCommand

from playground.shares import gallery, gallery_pictures


class Command(BaseCommand):
    help = "Make the pictures of the gallery of its moments; commit what comes of it."

    def handle(self, *args: Any, **options: Any) -> None:
        shown = gallery.read_gallery()
        gallery_pictures.store_picture({slug: gallery_pictures.draw_picture(one.share) for slug, one in shown.items()})
