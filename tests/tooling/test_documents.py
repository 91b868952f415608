"""Check the structure of docs/: indexes that list each page, and pages that two clicks reach."""

import re

import pytest

from playground.documentation.contents import FOLDER, SECTIONS, Section, format_index, list_pages

PRESENT = [section for section in SECTIONS if (FOLDER / section.folder).is_dir()]


@pytest.mark.parametrize("section", PRESENT, ids=lambda section: section.folder)
def test_the_index_of_a_section_is_current(section: Section) -> None:
    assert (FOLDER / section.folder / "index.md").read_text() == format_index(section), "run `make docs`"


def test_every_page_is_in_a_section() -> None:
    assert {page.section for page in list_pages()} == {None, *PRESENT}


def test_the_front_page_is_short_and_leads_to_every_section() -> None:
    text = (FOLDER / "index.md").read_text()
    targets = set(re.findall(r"\]\(([^)]+)\)", text))
    assert {f"{section.folder}/index.md" for section in PRESENT} <= targets
    assert len(re.sub(r"\]\([^)]*\)", "]", text).split()) <= 200


def test_names_of_pages_are_lower_case_with_hyphens() -> None:
    names = [path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.md")]
    assert [name for name in names if not re.fullmatch(r"([a-z-]+/)?[a-z0-9-]+\.md", name)] == []
