"""Compare the generated parts of reference pages with the code."""

import pytest

from tools import reference


@pytest.mark.parametrize("page", reference.PAGES)
def test_the_generated_parts_are_current(page: str) -> None:
    assert (reference.FOLDER / page).read_text() == reference.text(page), "run `make docs`"
