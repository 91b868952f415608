"""docs/reference/keyboard.md lists the key of every action."""

import re

from tools import keyboard


def test_the_page_is_what_make_docs_writes() -> None:
    assert keyboard.DOCUMENT.read_text(encoding="utf-8") == keyboard.text(), "run `make docs`"


def test_every_key_is_listed() -> None:
    sources = {path: path.read_text(encoding="utf-8") for path in keyboard.SCRIPTS.rglob("*.js")}
    rows = "".join(
        source for path, source in sources.items() if "actionGroup(" in source and path.name != "action_rows.js"
    )
    declared = re.findall(r'singleKey\(|\bshown: "', rows)
    listed = re.findall(
        r"`[^`]+`", re.sub(r"(?m)^(?!\| `).*$|(?<= \| ).*$", "", keyboard.text().removesuffix(keyboard.TAIL))
    )
    assert len(declared) == len(listed) > 40
