"""Only actions write the store: a module that draws asks one of them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "static" / "js"
DRAWS = re.compile(r"^import \{[^}]*\bhtml\b[^}]*\} from \"[^\"]*vendor/preact\.js\";", re.MULTILINE)
SIGNAL = r"\bstore\.\w+\.value\b"
CHANGES = r"(?:push|pop|shift|unshift|splice|sort|reverse|fill|set|add|delete|clear)\("
WRITES = re.compile(
    rf"{SIGNAL}\s*(?:(?:[-+*/%|&^]|\*\*|&&|\|\||\?\?)?=(?![=>])|\+\+|--)"  # assigned
    rf"|(?:\+\+|--|\bdelete )\s*{SIGNAL}"
    rf"|{SIGNAL}[\w.?\[\]()]*\s*[,\]}}][^;()]*[\]}}]\s*=(?![=>])"  # a place of a pattern
    rf"|\bstore\.\w+\.(?:value|peek\(\))\??\.{CHANGES}"  # changed where it lies
    r"|[}\]\w]\s*=\s*store;"  # by another name
)

CASES = [
    ("store.dialog.value = null", True),
    ("store.busy.value ??= mine", True),
    ("(store.turn.value += 1)", True),
    ("store.turn.value++", True),
    ("[store.panel.value, store.filter.value] = [panel, text]", True),
    ("store.notices.value.push(one)", True),
    ("store.seen.peek().add(one)", True),
    ("const { dialog } = store;", True),
    ("const open = store.dialog.value;", False),
    ("store.side.value === id", False),
    ("store.side.value == null", False),
    ("const at = [store.cluster.value.id, name].join()", False),
    ("[store.cluster.value?.id, now].map((one) => one)", False),
    ("store.found.value.map((one) => one)", False),
]


@pytest.mark.parametrize(("text", "writes"), CASES)
def test_the_scan_finds_what_writes(text: str, writes: bool) -> None:
    assert bool(WRITES.search(text)) is writes


def test_what_draws_does_not_write() -> None:
    modules = {path: path.read_text(encoding="utf-8") for path in sorted(SCRIPTS.rglob("*.js"))}
    views = {path: text for path, text in modules.items() if DRAWS.search(text)}
    assert len(views) > 100
    found = [
        f"{path.relative_to(SCRIPTS)}:{text.count(chr(10), 0, hit.start()) + 1}"
        for path, text in views.items()
        for hit in WRITES.finditer(text)
    ]
    assert found == []
    assert any(WRITES.search(text) for path, text in modules.items() if path not in views)
