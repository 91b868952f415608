"""docs/reference/limits.md lists every limit of the web side with its value."""

from playground import limits as web
from tools import limits


def test_the_page_is_what_make_docs_writes() -> None:
    assert limits.DOCUMENT.read_text(encoding="utf-8") == limits.text(), "run `make docs`"


def test_every_limit_of_the_web_side_is_listed() -> None:
    names = limits.numbers_of(web)
    assert len(names) > 120
    assert {name for name in names if f"| `{name}` |" not in limits.text()} == set()


def test_values_are_readable() -> None:
    text = limits.text()
    for row in (
        "| `IMPORT_BYTES` | 48 MiB |",
        "| `REQUEST_SECONDS` | 2.5 s |",
        "| `JSON_VALUES` | 400,000 |",
        "| `CYCLES_PER_SECOND` | 1,000 |",
        "| `MAX_UNFOLDED` | 256 KiB |",
    ):
        assert row in text
