"""The gallery's pictures are of the moments that they stand beside."""

import pytest

from playground.shares import gallery
from playground.shares import gallery_pictures as gallery_pictures


def test_every_moment_has_one() -> None:
    assert list(gallery_pictures.read_picture()) == list(gallery.read_gallery())


@pytest.mark.parametrize("slug", gallery.read_gallery())
def test_it_is_what_the_engine_says(slug: str) -> None:
    """When a moment was changed: `manage.py draw_gallery`."""
    share = gallery.read_gallery()[slug].share
    assert gallery_pictures.read_picture()[slug] == gallery_pictures.draw_picture(share)


def test_a_moment_that_was_changed_has_another() -> None:
    shown = gallery.read_gallery()
    pictures = [gallery_pictures.draw_picture(one.share) for one in shown.values()]
    assert len({str(picture) for picture in pictures}) == len(pictures)
    assert [picture["states"].count("c") for picture in pictures] == [0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1, 0]
